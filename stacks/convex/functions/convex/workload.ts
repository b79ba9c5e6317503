import { paginationOptsValidator } from 'convex/server';
import { v } from 'convex/values';
import { mutation, query } from './_generated/server';

/** Longest body of a message, characters. */
const MAX_BODY = 16 * 1024;

/** Adds to a counter; the first increment makes it. Returns its new value. */
export const increment = mutation({
  args: { name: v.string(), by: v.number() },
  returns: v.number(),
  handler: async (ctx, { name, by }) => {
    if (!Number.isInteger(by) || by < 1) throw new Error('by must be a whole number of at least 1');
    const updatedAt = Date.now();
    const found = await ctx.db
      .query('counters')
      .withIndex('by_name', (q) => q.eq('name', name))
      .unique();
    if (!found) {
      await ctx.db.insert('counters', { name, value: by, updatedAt });
      return by;
    }
    await ctx.db.patch(found._id, { value: found.value + by, updatedAt });
    return found.value + by;
  },
});

/** Stores a message. */
export const createMessage = mutation({
  args: { author: v.number(), body: v.string() },
  returns: v.id('messages'),
  handler: async (ctx, { author, body }) => {
    if (body.length === 0) throw new Error('body must not be empty');
    if (body.length > MAX_BODY) throw new Error(`body must be at most ${MAX_BODY} characters`);
    return await ctx.db.insert('messages', { author, body });
  },
});

/** A counter, null before its first increment. */
export const getCounter = query({
  args: { name: v.string() },
  returns: v.union(v.null(), v.object({ name: v.string(), value: v.number(), updatedAt: v.number() })),
  handler: async (ctx, { name }) => {
    const found = await ctx.db
      .query('counters')
      .withIndex('by_name', (q) => q.eq('name', name))
      .unique();
    return found && { name: found.name, value: found.value, updatedAt: found.updatedAt };
  },
});

/** What a page of rows is. */
const aPage = <Row extends { [field: string]: any }>(row: Row) =>
  v.object({ rows: v.array(v.object(row)), isDone: v.boolean(), continueCursor: v.string() });

/** For the check of the state: a page of the counters. A query may read no more than some thousands at once. */
export const counters = query({
  args: { paginationOpts: paginationOptsValidator },
  returns: aPage({ name: v.string(), value: v.number() }),
  handler: async (ctx, { paginationOpts }) => {
    const { page, isDone, continueCursor } = await ctx.db.query('counters').paginate(paginationOpts);
    return { rows: page.map(({ name, value }) => ({ name, value })), isDone, continueCursor };
  },
});

/** For the check of the state: when the newest message was created, 0 where there is none. */
export const newestMessage = query({
  args: {},
  returns: v.number(),
  handler: async (ctx) => (await ctx.db.query('messages').order('desc').first())?._creationTime ?? 0,
});

/** For the check of the state: a page of the messages that were created after a moment. */
export const messagesAfter = query({
  args: { moment: v.number(), paginationOpts: paginationOptsValidator },
  returns: aPage({ author: v.number(), body: v.string() }),
  handler: async (ctx, { moment, paginationOpts }) => {
    const { page, isDone, continueCursor } = await ctx.db
      .query('messages')
      .withIndex('by_creation_time', (q) => q.gt('_creationTime', moment))
      .paginate(paginationOpts);
    return { rows: page.map(({ author, body }) => ({ author, body })), isDone, continueCursor };
  },
});
