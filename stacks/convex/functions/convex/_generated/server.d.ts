/* eslint-disable */
import type { MutationBuilder, QueryBuilder } from 'convex/server';
import type { DataModel } from './dataModel.js';

export declare const query: QueryBuilder<DataModel, 'public'>;
export declare const mutation: MutationBuilder<DataModel, 'public'>;
