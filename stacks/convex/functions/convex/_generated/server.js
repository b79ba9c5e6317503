/* eslint-disable */
import { mutationGeneric, queryGeneric } from 'convex/server';

export const query = queryGeneric;
export const mutation = mutationGeneric;
