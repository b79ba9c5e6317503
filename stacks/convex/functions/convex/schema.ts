import { defineSchema, defineTable } from 'convex/server';
import { v } from 'convex/values';

export default defineSchema({
  counters: defineTable({
    name: v.string(),
    value: v.number(),
    // Moment of the transaction that set it, epoch ms: who subscribes knows by it how old the news is.
    updatedAt: v.number(),
  }).index('by_name', ['name']),
  messages: defineTable({ author: v.number(), body: v.string() }),
});
