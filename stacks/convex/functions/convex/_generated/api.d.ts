/* eslint-disable */
import type { ApiFromModules, FilterApi, FunctionReference } from 'convex/server';
import type * as workload from '../workload.js';

declare const fullApi: ApiFromModules<{ workload: typeof workload }>;
export declare const api: FilterApi<typeof fullApi, FunctionReference<any, 'public'>>;
export declare const internal: FilterApi<typeof fullApi, FunctionReference<any, 'internal'>>;
