/**
 * The shapes that pass between the stages. Units stand in the names.
 * Every one of them is a file on disk at some point: see "Data flow" in the README.
 */

export type Status = 'ok' | 'failed' | 'unsupported' | 'unavailable' | 'aborted';
export type VerdictStatus = 'VALID' | 'DEGRADED' | 'INVALID';
export type LoadModel = 'closed' | 'open';
export type Drive = 'burst' | 'iteration';
/**
 * system: what the run is about. calibration: the generator's ceiling. observer: what the live outputs cost.
 * durability: a kill under load and what is left after it. syscalls: the same load while the system's syncs are
 * counted; its speed is no figure.
 */
export type CellRole = 'system' | 'calibration' | 'observer' | 'syscalls' | 'durability';
export type EngineName = 'native' | 'docker' | 'external';

export interface NativeNeed {
  binary: string;
  /** The variable by which a user names a program of their own, whatever it is called. */
  env?: string;
  /** Where to look for it beside PATH; the same folders below an unpacked package. */
  folders?: string[];
  debian?: string;
  /** What its package and those that it needs are in size. */
  megabytes?: number;
  brew?: string;
  hint?: string;
  /** Where it comes from, when it is not found on PATH by its name. */
  source?: string;
}

export interface NativeBuild {
  /** Folder inside the stack; its files key the cache. Absent: the command does, which names a version then. */
  folder?: string;
  /** Placeholder that stands for the result, and `BUILD_<NAME>` for hooks. */
  name?: string;
  /** Argument list run in that folder; `{cache}` is where the result goes. */
  command: string[];
  /** How long the first build takes, said before it starts. */
  about?: string;
  /** Measured with empty caches: CPU time, and what is fetched. */
  cost?: { cpuSec: number; megabytes: number };
  /** Many minutes: built only where the system is asked for by name. */
  slow?: boolean;
  /** What it is for; only in a resolved manifest. */
  companion?: string;
  /** Of `hookBuild`: where it is needed; absent: everywhere. */
  engines?: EngineName[];
}

export interface NativeRecipe {
  needs?: NativeNeed[];
  build?: NativeBuild[];
  /** Files of the stack, filled in like the arguments and written to `{data}` under their own name. */
  config?: string[];
  start: string[];
  /** Started before it, in order. */
  companions?: NativeCompanion[];
  version?: string[];
  env?: Record<string, string>;
  /** A program of the user's own in place of this recipe; see lib/config/override.js. */
  override?: NativeOverride;
}

/** A process that a system needs beside its own; see lib/engines/companions.js. */
export interface NativeCompanion {
  name: string;
  needs?: NativeNeed[];
  build?: NativeBuild[];
  /** Further free ports. */
  ports?: string[];
  /** Argument lists run once on fresh data, before anything is started. */
  prepare?: string[][];
  /** Always there in a manifest; absent in a resolved one where the user has given the companion. */
  start?: string[];
  ready?: CompanionCheck;
  /** Argument lists run once on fresh data, when it answers. */
  setup?: string[][];
  env?: Record<string, string>;
  /** Signal that ends it, SIGTERM unless given; SIGKILL follows after the grace. */
  stop?: NodeJS.Signals;
  graceSec?: number;
  /** What `{url.<name>}` stands for. */
  url?: string;
  /** The variable by which a user gives one that runs already; `clear`: argument lists that empty what is ours in it. */
  given?: { env: string; clear?: string[][] };
  /** Laid over the companion where its programs cannot be had; see lib/config/companions.js. */
  standIn?: {
    title: string;
    /** In place of the manifest's own. */
    durability?: StackManifest['durability'];
    /** Over the manifest's own. */
    traits?: Record<string, string>;
  } & Omit<NativeCompanion, 'name' | 'standIn' | 'given' | 'standsIn'>;
  /** Title of what stands in; only in a resolved manifest. */
  standsIn?: string;
}

/** `port`: which of its ports is asked; `log`: a text in its own output. */
export type CompanionCheck = (ReadyCheck | { log: string; timeoutSec: number }) & { port?: string };

export interface NativeOverride {
  /** The variable that names the program. */
  env: string;
  /** The name by which it is taken from PATH where the variable is not set. */
  path?: string;
  title: string;
  /** `{binary}` is the program. */
  start: string[];
  version?: string[];
  traits?: Record<string, string>;
}

/** How a stack runs in containers; its `compose.yml` says the rest. */
export interface DockerRecipe {
  /** Service that the client talks to, and its name on the network. */
  service: string;
  port: number;
  /** Variable of the compose file → the pinned image that it stands for. */
  images: Record<string, string>;
  /** Other variables of the compose file that this configuration sets. */
  env?: Record<string, string>;
  /** False: the image keeps settings of its own, and none of the manifest's is given or printed. */
  settings?: false;
  /** Argument list run in the service's container; the first version number of its output is recorded. */
  version?: string[];
}

/** An image as the engine has it. */
export interface UsedImage {
  /** What the compose file is given. */
  ref: string;
  /** Content id of the image. */
  id: string;
  /** Digest in its registry; null for an image that was built here. */
  digest: string | null;
  /** How it came to be used, for the report. */
  source: string;
}

/** What a run in containers ran on: a condition of its figures. */
export interface DockerConditions {
  engine: string;
  compose: string;
  cgroup: string;
  storage: string;
  /** Limits of each system and of the generator. */
  systemCpus: number;
  systemMemory: string;
  generatorCpus: number;
  /** By variable of the compose files. */
  images: Record<string, UsedImage>;
}

export interface ContainerFacts {
  name: string;
  id: string;
  /** Content id of its image. */
  image: string;
  startedAt: string;
}

export type ReadyCheck =
  | { tcp: { send: string; expect: string }; timeoutSec: number }
  | { http: { path: string; status: number }; timeoutSec: number }
  | { command: string[]; timeoutSec: number };

/** Where an acknowledged write is; systems of unlike policies are not ranked. */
export type DurabilityPolicy = 'none' | 'page-cache' | 'fsync-interval' | 'fsync' | 'unknown';

/** What holds of a version, a transport, or a server that says it is set so: see lib/config/durability.js. */
export interface DurabilityRule {
  policy: DurabilityPolicy;
  /** In one sentence. */
  meaning: string;
  /** This version and later ones. */
  from?: string;
  /** Versions before this one. */
  below?: string;
  transports?: string[];
  /** As the server says. */
  settings?: Record<string, string>;
}

/** How a running server is asked for its version and settings; see lib/engines/ask.js. */
export interface AskRecipe {
  /** `version`: fields of INFO, the one that says most first; `settings`: asked for beside those that it is given. */
  resp?: { version: string[]; settings?: string[] };
  /** `version`: a pattern of the answer, whose first group it is. */
  tcp?: { send: string; version: string };
  /** `version`: a field of the JSON answer; absent: its whole text. */
  http?: { path: string; version?: string };
}

/** `stacks/<system>/stack.json` */
export interface StackManifest {
  title: string;
  origin: 'upstream' | 'reference';
  homepage?: string;
  workloads: Record<string, { transports: string[]; variants?: string[] }>;
  /** The same product configured otherwise; see lib/config/variants.js. */
  variants?: Record<string, VariantManifest>;
  durability: { policy: DurabilityPolicy; meaning: string };
  /** What the server is given, by its own names; see lib/config/settings.js. */
  settings?: Record<string, string>;
  /** What else a reader should know of this configuration, given to nobody. */
  traits?: Record<string, string>;
  /** True when it keeps its data in {data}, so that it can be killed and started again on it. */
  restart?: boolean;
  /** The first rule that holds stands in place of `durability`. */
  durabilityWhen?: DurabilityRule[];
  /** Traits of a range of versions, over the others. */
  traitsWhen?: { from?: string; below?: string; traits: Record<string, string> }[];
  ask?: AskRecipe;
  /** What hooks bring into a running system: built before anything is started, whatever starts it. */
  hookBuild?: NativeBuild[];
  native?: NativeRecipe;
  docker?: DockerRecipe;
  /** `ready`: asked of a system that somebody else runs, where not every one of them answers the usual question. */
  endpoint: {
    url: string;
    port: number;
    ready?: ReadyCheck;
    /** What a system that was not started here is asked, and behind which text it names this start of itself. */
    mark?: { send: string; after: string };
  };
  ready: ReadyCheck;
  /** What keeps the system busy beside the load, in steps that ask for it. */
  background?: { title: string; command: string[] };
  lifecycle?: LifecycleRecipe;
  /** Run before any load; `ours`: arguments that are added for a system that the suite itself started. */
  conformance?: { command: string[]; ours?: string[] };
  targets?: Target[];
  limits?: Limit[];
}

/** What a stack lets be measured beside load: start-up, idle memory, size, syncs, and a ceiling of its storage. */
export interface LifecycleRecipe {
  /** What must be there to run it: a file or folder, or a program on PATH (which other programs may share). */
  runtime: { what: string; path?: string; binary?: string }[];
  /** A program that does the storing alone, and prints a line of JSON. */
  ceiling?: LifecycleCeiling;
}

export interface LifecycleCeiling {
  title: string;
  workload: string;
  /** Operation whose items it stores. */
  operation: string;
  command: string[];
  /** Name of the rate, items per second, in its line of JSON. */
  rate: string;
}

/** `raw/lifecycle.<system>.json` */
export interface LifecycleRaw {
  schemaVersion: 1;
  system: string;
  status: Status;
  reason: string | null;
  /** From spawning the process to its first correct answer, in the order measured. */
  startMs: number[];
  idle: { settledSec: number; rssBytes: number; residentBytes: number | null }[];
  runtime: { what: string; bytes: number; shared: boolean }[];
}

/** One of the `readings` that a ceiling's program may print: how fast it stores, and under which conditions. */
export interface StorageReading {
  /** Items in one transaction, each of which ends with one flush where the system's do. */
  perTransaction: number;
  /** Items in the table at the beginning; 0 is a fresh one. */
  storedBefore: number;
  items: number;
  itemsPerSec: number;
}

/** `raw/ceiling.<system>.r<repeat>.json` */
export interface CeilingRaw {
  schemaVersion: 1;
  system: string;
  repeat: number;
  itemsPerSec: number | null;
  problem: string | null;
  /** What the program printed. */
  line: Record<string, unknown> | null;
}

/** `raw/conformance.<system>.json`: what a system had to answer right before its first load. */
export interface ConformanceOutcome {
  schemaVersion: 1;
  system: string;
  passed: number;
  failed: number;
  /** What not every implementation of a contract has; only for servers that the suite did not start. */
  tolerated: { check: string; reason: string }[];
  failures: { check: string; reason: string }[];
  /** Why it gave no answer. */
  problem: string | null;
}

/** `results/lifecycle/<system>.json` */
export interface LifecycleRecord {
  schemaVersion: 1;
  system: string;
  status: Status;
  reason: string | null;
  /** From spawning the process to its first correct answer, in the order measured. */
  startMs: number[];
  idleRssBytes: number | null;
  idleResidentBytes: number | null;
  runtime: { what: string; bytes: number; shared: boolean }[];
  ceilings: CeilingRaw[];
}

/** Laid over the manifest: objects merged, arrays replaced. */
export interface VariantManifest {
  title: string;
  durability?: StackManifest['durability'];
  restart?: boolean;
  settings?: Record<string, string>;
  traits?: Record<string, string>;
  /** null: it does not run natively. */
  native?: Partial<NativeRecipe> | null;
  docker?: Record<string, unknown>;
}

/** A throughput ratio that a system is meant to reach, of which a report says whether it does. */
export interface Target {
  title: string;
  workload: string;
  operation: string;
  /** The closed step that it is measured on. */
  connections: number;
  depth?: number;
  /** Id of the system by which the throughput is divided. */
  against: string;
  ratioAtLeast: number;
  /** Or what the system's storage does alone (its `lifecycle.ceiling`), where that is lower. */
  orStorage?: boolean;
}

/** What a system keeps to within itself, of which a report says whether it does. */
export interface Limit {
  title: string;
  workload: string;
  /**
   * p95-growth: p95 of all operations under `users`, against that of the fewest users. failed-operations: under `users`.
   * depth-ratio: mean of the deepest query against the shallowest. level-cost-growth: what a level of relations costs on
   * the data of the step that has its own, against the usual data.
   */
  measure: 'p95-growth' | 'failed-operations' | 'depth-ratio' | 'level-cost-growth';
  /** Of `p95-growth` and `failed-operations`. */
  users?: number;
  atMost: number;
}

export interface Stack {
  /** The folder's name, or `<stack>@<variant>`. */
  id: string;
  /** The folder's name. */
  base: string;
  /** The variant's name, `default` for the manifest itself. */
  variant: string;
  /** Absolute path of the folder. */
  folder: string;
  manifest: StackManifest;
}

export interface Step {
  id: string;
  /** The workloads that run it; absent: all. */
  workloads?: string[];
  model: LoadModel;
  vus: number;
  /** Requests in flight per connection (pipeline depth). */
  depth?: number;
  /** How long the load lasts; or `operations`, never both. */
  durationSec?: number;
  /** Closed model: how many operations of each kind the virtual users perform together. */
  operations?: number;
  /** With `operations`: how many of each kind before them, a tenth unless given. */
  warmupOperations?: number;
  /** Set by the plan: the size of the stored data is read in this step. */
  footprint?: boolean;
  drive?: Drive;
  /** Open model: target rate as a share of the knee measured in the same repeat. */
  fractionOfKnee?: number;
  /** Open model: a fixed target rate, operations per second. */
  ratePerSec?: number;
  warmupSec?: number;
  /** SIGKILL after durationSec under load, restart on the same data, count what is left. */
  kill?: boolean;
  /** Set by the plan where a workload has cases: which one. */
  case?: string;
  /** Over the profile's: of the step, or of its case. */
  dataset?: Record<string, number>;
  /** One window only: that of the workload's main operation. */
  focus?: boolean;
  /** The manifest's background load runs beside it, at this rate. */
  background?: { ratePerSec: number };
  /** Long enough for a slope: memory and latency over time are judged; `--duration` sets its length. */
  soak?: boolean;
  /** What the step stands for on a benchmark page, say `Pipelined`: steps with one make the section of that name. */
  title?: string;
  /** How requests are written; absent: one write each. */
  clientPattern?: ClientPattern;
}

export type ClientPattern = 'one-write' | 'one-write-nagle' | 'two-writes' | 'two-writes-nagle';

/** `profiles/<profile>.json` */
export interface Profile {
  title: string;
  seed: number;
  repeats: number;
  /** Which workloads it is meant for, unless `--workloads` says otherwise; absent: all. */
  workloads?: string[];
  warmupSec: number;
  coolDownSec: number;
  drive: Drive;
  dataset: Record<string, number>;
  calibration?: { durationSec: number; operations?: number };
  observer?: { pairs: number; durationSec: number; vus: number };
  /** Systems of this machine are compared side by side, and only where that cannot be, one after another. */
  sideBySide?: SideBySideProfile;
  /** Systems whose server would have to be built first take part only where they are named. */
  atHand?: boolean;
  steps: Step[];
  thresholds: Thresholds;
}

export interface Thresholds {
  /** Highest tolerated share of failed operations. */
  errorRatio?: number;
  /** Highest tolerated service-time p99, in milliseconds. */
  p99Ms?: number;
  /** Open model: least achieved share of the target rate. */
  achievedRatio?: number;
  /** Fewest operations of a window, in place of the method's own. */
  minOperations?: number;
}

/** One operation of a workload; see lib/schema/workload.schema.json. */
export interface OperationFacts {
  /** The window that it shares with others; absent: one of its own. */
  window?: string;
  /** In a window of shares: its part of the operations that the same users perform. */
  share?: number;
  /** Users of its own: a name in the dataset. */
  users?: string;
  /** It is received by clients of its own, not sent. */
  received?: boolean;
  /** It is received over the connections of the load, where a transport pushes. */
  pushed?: boolean;
  /** A kill is measured by the first that writes. */
  writes?: boolean;
  /** Systems are known by it; absent: by the first operation. */
  main?: boolean;
  /** How many items it carries: a number, or a name in the dataset. */
  items?: number | string;
  /** All data is stored before it: then its size is read. */
  footprintBefore?: boolean;
  /** For the report: the kind of query that it is; of one that follows relations, how many levels, which, and what lies beside. */
  shown?: { query?: string; depth?: number; label?: string; beside?: string };
}

/** `together`: each with users of its own; `shares`: the same users, by chance; `turns`: the same users, in order. */
export interface WindowFacts {
  order: 'together' | 'shares' | 'turns';
  /** Every user performs these again and again; one may come several times. */
  turns?: string[];
}

/** What Node must know of a workload; see lib/schema/workload.schema.json. */
export interface WorkloadFacts {
  id: string;
  title: string;
  /** In the order in which they run. */
  operations: Record<string, OperationFacts>;
  windows?: Record<string, WindowFacts>;
  /** Each step is measured once in each case, with its dataset; `transports`: where not over all of them. */
  cases?: Record<string, { dataset: Record<string, number>; transports?: string[] }>;
  /** What the workload takes where a profile's dataset says nothing. */
  dataset?: Record<string, number>;
  /** Whether several requests may be under way on a connection. */
  pipelines: boolean;
  /** The only drive that can perform it; or the only one that speaks a transport. */
  drive?: Drive | Record<string, Drive>;
  /**
   * `space`: name in the dataset of how many keys there are, in place of `keys`; `each`: every operation of a fixed
   * count has a key of its own, known to those after it; `documents`: each key has a JSON document; `tallied`: what is sent to each
   * key is counted, and the values of replies are checked by it.
   */
  keys?: { space?: string; each?: boolean; documents?: boolean; tallied?: boolean };
  /** It has steps of a fixed count only: the name in the dataset that says how many where a step gives a time. */
  fixedCount?: string;
  /** How long load runs before a window opens, where answers take long: the first ones wait less than the rest. */
  leadSec?: number;
  /** Shortest window of an operation. */
  minWindowSec?: number;
  /** Fewest operations of a window, in place of the method's own, where operations are slow. */
  minOperations?: number;
  /** For the report: workloads of one suite are shown side by side; what an operation carries several of. */
  shown?: { suite?: string; item?: string };
}

export interface PlannedSystem {
  id: string;
  /** Absent in plans older than variants. */
  variant?: string;
  title: string;
  origin: string;
  engine: EngineName;
  endpoint?: string;
  role: 'system' | 'calibration';
  durability: { policy: string; meaning: string };
  durabilityWhen?: StackManifest['durabilityWhen'];
  traitsWhen?: StackManifest['traitsWhen'];
  /** How it works, from its stack's README. */
  notes?: string[];
  /** As the report prints them: what the server was given, then what else a reader should know. */
  settings: Record<string, string>;
  targets?: Target[];
  limits?: Limit[];
  /** Where its program came from, filled in before the first cell. */
  provenance: string;
}

export interface CellPlan {
  id: string;
  system: string;
  role: CellRole;
  workload: string;
  transport: string;
  step: Step;
  repeat: number;
  /** False for the half of the observer's cells that run without the live outputs. */
  telemetry: boolean;
}

/** One bring-up of one system: fresh state, then its cells in order. */
export interface Block {
  system: string;
  workload: string;
  transport: string;
  repeat: number;
  role: CellRole;
  cells: CellPlan[];
}

/** What a run leaves out, and why: a system, or some steps of a workload. */
export interface Absent {
  system?: string;
  workload?: string;
  /** Of the workload, by the profile's ids. */
  steps?: string[];
  status: 'unavailable' | 'unsupported';
  reason: string;
}

/** `plan.json` of a run */
export interface Plan {
  schemaVersion: 1;
  methodVersion: number;
  runId: string;
  profileId: string;
  profile: Profile;
  repeats: number;
  orderSeed: number;
  engine: EngineName;
  /** Absent unless systems run in containers. */
  docker?: DockerConditions;
  hostCores: number;
  systems: PlannedSystem[];
  absent: Absent[];
  workloads: WorkloadFacts[];
  blocks: Block[];
  /** Systems whose start-up, idle memory and size are measured; absent: none. */
  lifecycle?: { system: string; unavailable: string | null }[];
  estimatedSec: number;
  options: RunOptions;
  /** Systems that are compared side by side; absent: none. */
  sideBySide?: SideBySidePlan;
  /** Why a profile that asks for it is measured one system after another. */
  notSideBySide?: string;
}

/** The flags that change what is measured; recorded so that `--resume` repeats them. */
export interface RunOptions {
  endpoints: Record<string, string>;
  ports: Record<string, number>;
  generatorCpus: number | null;
  live: boolean;
  /** `--operations`: of each kind, in every step that is bound by a count. */
  operations?: number | null;
  /** `--starts`, `--until-decided`, `--max-minutes`: how long systems are compared side by side. */
  starts?: number | null;
  untilDecided?: boolean;
  maxMinutes?: number | null;
  /** `--generators`, `--on`, …: the load comes from several runners; absent: from one. */
  generators?: GeneratorOptions | null;
}

export interface GeneratorOptions {
  count: number;
  on: GeneratorsOn;
  /** Of kubectl; null: its current one. */
  context?: string | null;
  namespace?: string | null;
}

export interface Reason {
  code: string;
  operation?: string;
  measured?: number | string | null;
  limit?: number | string | null;
}

export interface Verdict {
  status: VerdictStatus;
  reasons: Reason[];
}

export interface Latency {
  min: number;
  mean: number;
  sd: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  p999: number;
  max: number;
}

/** The highest throughput of an operation, of which an open step takes a share. */
export interface Knee {
  ratePerSec: number;
  /** False where no window of it was usable, and this is the highest of those that were not. */
  usable: boolean;
}

export interface OperationResult {
  count: number;
  late: number;
  aborted: number;
  dropped: number;
  durationMs: number;
  ratePerSec: number;
  /** Items (say events) that one operation carries, where it carries a stated number. */
  itemsPerOp?: number;
  /** Users of its own, where they are not those of the step. */
  users?: number;
  /** True for what is received, not sent: no law of the closed model holds for it. */
  received?: boolean;
  /**
   * Of a mix, or of turns: its share of the operations that the same users perform; the users, the CPU and Little's
   * law are those of all of them.
   */
  share?: number;
  targetPerSec: number | null;
  errors: Record<string, number>;
  serviceMs: Latency | null;
  responseMs: Latency | null;
  lagMs: Latency | null;
  systemCpuUsPerOp: number | null;
  generatorCpuUsPerOp: number | null;
  generatorCpuRatio: number | null;
  /** Mean time between two operations of a VU spent outside operations (interactive law), ms. */
  outsideMs: number | null;
  /** Steps by count: from the first send to the last answer of each user, summed up, ms. */
  presentMs?: number;
  ceilingPerSec: number | null;
  verdict: Verdict;
  series: SeriesPoint[];
}

export interface SeriesPoint {
  t: number;
  count: number;
  errors: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface ResourceUse {
  cpuSec: number;
  cpuCores: number;
  rssPeakBytes: number;
  rssSteadyBytes: number;
  ioReadBytes: number | null;
  ioWriteBytes: number | null;
  threadsPeak: number;
  processes: number;
  netRxBytes?: number | null;
  netTxBytes?: number | null;
  throttledSec?: number | null;
}

/** Slopes over time, the beginning left out. */
export interface SoakResult {
  /** Seconds that were looked at. */
  sec: number;
  rssBytesPerMin: Interval | null;
  rssSecondHalfBytesPerMin: number | null;
  /** Slowest leak that would have been flagged. */
  detectableBytesPerMin: number | null;
  p99MsPerMin: Interval | null;
  /** Share of its median by which the p99 grew over all the time. */
  p99Growth: Interval | null;
  verdict: 'steady' | 'drifting' | 'leaking' | 'unclear';
}

export interface OracleResult {
  ok: boolean;
  acked: number | null;
  stored: number | null;
  indeterminate: number | null;
  /** Values that nobody can have put there; absent where there are none. */
  wrong?: number;
  detail: string;
}

/** Acknowledged against recovered, after a SIGKILL under load and a restart on the same data. */
export interface Recovery {
  acked: number;
  recovered: number;
  /** Sent and not answered: may be there or not. */
  indeterminate: number;
  lost: number;
  /** There although nobody sent it. */
  unexplained: number;
  /** What does not follow from the writes that are there, although none is lost. */
  inconsistent?: string;
  /** Of the load, up to the kill. */
  ackedPerSec: number;
  /** From the start to the first right answer. */
  restartMs: number;
}

/** `results/<cell>.json` */
export interface CellRecord {
  schemaVersion: 1;
  methodVersion: number;
  runId: string;
  cell: string;
  system: string;
  title: string;
  origin: string;
  version: string | null;
  role: CellRole;
  engine: EngineName;
  workload: string;
  transport: string;
  variant: string;
  step: Step;
  repeat: number;
  position: number;
  status: Status;
  reason: string | null;
  logTail: string[];
  startedAt: string | null;
  durationMs: number | null;
  operations: Record<string, OperationResult>;
  /** Of operations that take turns: service time of all of them together. */
  wholeMs?: Latency | null;
  resources: { system: ResourceUse | null; generator: ResourceUse | null; host: HostUse | null };
  oracle: OracleResult | null;
  /** Titles of what stood in for a storage; absent: nothing did. */
  standIns?: string[];
  background?: BackgroundResult;
  /** Syncs inside the measured windows, by system call, and the time in them; only where they were counted. */
  syncs?: { calls: Record<string, number>; ms: number };
  /** Runners that shared the load; absent: one generator did it all. */
  generators?: GeneratorsResult;
  /** Only for a soak. */
  soak?: SoakResult;
  /** Workloads with documents only. */
  dataset?: DatasetFacts;
  /** The step in which the size of the stored data was read. */
  footprint?: Footprint;
  /** Of a kill under load only. */
  recovery?: Recovery | null;
  verdict: Verdict;
  parity: Record<string, string | number | null>;
  durability: string;
  stated?: Record<string, string>;
  untaken?: UntakenSetting[];
  live: LiveReconciliation | null;
  warnings: string[];
  raw: string[];
}

/** An operation that no rule has been held to yet. */
export type UnjudgedResult = Omit<OperationResult, 'ceilingPerSec' | 'verdict'>;

/** What was measured, before it is judged. */
export type UnjudgedRecord = Omit<CellRecord, 'operations' | 'verdict'> & {
  operations: Record<string, UnjudgedResult>;
};

export interface HostUse {
  cores: number;
  busyRatio: number;
  stealRatio: number;
}

export interface LiveReconciliation {
  sink: string;
  samplesSeen: number;
  samplesWritten: number;
  pointsLost: number;
  lossy: boolean;
}

/** `raw/<cell>.cell.json`: what only the runner knows about a cell. */
export interface UntakenSetting {
  setting: string;
  given: string;
  stated: string;
}

export interface CellMeta {
  schemaVersion: 1;
  cell: CellPlan;
  position: number;
  status: Status;
  reason: string | null;
  logTail: string[];
  startedAt: string | null;
  durationMs: number | null;
  engine: EngineName;
  version: string | null;
  restarted: boolean;
  /** Titles of what stood in for a storage; absent: nothing did. */
  standIns?: string[];
  /** What an acknowledgement meant, over this transport, of the version that ran; absent: as the plan says. */
  durability?: { policy: string; meaning: string };
  /** Settings of a server that somebody else configured, as it says. */
  stated?: Record<string, string>;
  /** Settings that the server was given and says otherwise. */
  untaken?: UntakenSetting[];
  background?: BackgroundResult;
  /** Of a kill under load. */
  recovery?: { killedAtMs: number; restartMs: number };
  /** Of the system, before the cell; absent where it runs in none. */
  containers?: ContainerFacts[];
  generatorCores: number;
  /** Runners that shared the load; absent: one generator did it all. */
  generators?: GeneratorsMeta;
  targetPerSec: Record<string, number>;
  /** Operations whose target is a share of a figure that was not usable itself; absent: none. */
  kneeUnknown?: string[];
  k6ExitCode: number | null;
  parity: Record<string, string | number | null>;
  telemetry: { influx: boolean; dashboard: boolean };
}

/** `local`: processes of this machine; `kubernetes`: pods that the k6 operator started. */
export type GeneratorsOn = 'local' | 'kubernetes';

export interface GeneratorsMeta {
  on: GeneratorsOn;
  /** As planned. */
  count: number;
  /** CPUs that each may use. */
  coresEach: number;
  /** Runners, from 1, that did not come to their end, and why. */
  problems: { runner: number; problem: string }[];
  /** Runners, from 1, that were started more than once. */
  restarted: number[];
}

/** Of a cell whose load several runners shared. */
export interface GeneratorsResult {
  on: GeneratorsOn;
  count: number;
  /** Between the runner whose windows began first and the one whose began last, ms, by the clocks of their machines. */
  startSkewMs: number | null;
  /** Whose part of the figures is missing, and why. */
  missing: { runner: number; problem: string }[];
  restarted: number[];
  /** The runner that used the largest share of its CPUs in a measured window; null: none told. */
  busiest: { runner: number; operation: string; cpuRatio: number } | null;
}

/** What the background load of a step did, from before the warm-up to after the check of the state. */
export interface BackgroundResult {
  title: string;
  targetPerSec: number;
  ratePerSec: number;
  count: number;
  /** From the commit of an item where it is made to its arrival in the system; null without any. */
  latencyMs: { p50: number; p90: number; p99: number; max: number } | null;
  /** The most items that were under way at once. */
  mostLag: number;
  /** From the last item to the arrival of all. */
  drainMs: number;
}

export interface ResourceSample {
  /** Epoch ms. */
  t: number;
  system: ProcessSample | null;
  generator: ProcessSample | null;
  host: { busySec: number; totalSec: number; stealSec: number };
  /** The last size of the data on disk that was read, and when its reading began; where it was asked for. */
  disk?: { t: number; bytes: number } | null;
}

export interface ProcessSample {
  cpuSec: number;
  rssBytes: number;
  ioReadBytes: number | null;
  ioWriteBytes: number | null;
  threads: number;
  processes: number;
  /** Absent where it cannot be told apart by process. */
  netRxBytes?: number | null;
  netTxBytes?: number | null;
  /** Time that it was kept off the CPU by its limit. */
  throttledSec?: number | null;
}

/** What the generator notes while the load of a step rests and everything is stored. */
export interface FootprintNote {
  documents: number;
  before: { atMs: number; bytes: number | null; counter: string } | null;
  /** What was done, null where nothing can be. */
  compaction: string | null;
  after: { atMs: number; bytes: number | null; counter: string } | null;
  problem: string | null;
}

/** The dataset of a cell, the same for every system. */
export interface DatasetFacts {
  documents: number;
  bytes: number;
  meanBytes: number;
  minBytes: number;
  maxBytes: number;
  sha256: string;
}

export interface StoredSize {
  /** By the system's own counter. */
  ownBytes: number | null;
  /** By the files on disk; null where they are not ours to see. */
  diskBytes: number | null;
}

export interface Footprint {
  documents: number;
  /** Of the documents themselves, without keys. */
  rawBytes: number;
  counter: string;
  before: StoredSize;
  compaction: string | null;
  after: StoredSize | null;
  problem: string | null;
}

/** One recorded (phase, operation) of the generator's own export. */
export interface HistogramWindow {
  op: string;
  phase: string;
  startMs: number;
  endMs: number;
  firstStartMs: number;
  lastEndMs: number;
  count: number;
  late: number;
  early: number;
  aborted: number;
  dropped: number;
  errors: Record<string, number>;
  meanMs: number;
  sdMs: number;
  service: EncodedHistogram | null;
  response: EncodedHistogram | null;
  lag: EncodedHistogram | null;
  series: SeriesPoint[];
  unresolved?: number;
  minMs?: number | null;
  maxMs?: number | null;
  responseMeanMs?: number | null;
  responseMaxMs?: number | null;
  lagMeanMs?: number | null;
  lagMaxMs?: number | null;
  presentMs?: number;
}

export interface EncodedHistogram {
  encoding: string;
  unit: string;
  data: string;
}

export interface HistogramExport {
  schemaVersion: 1;
  notes: Record<string, unknown>;
  windows: HistogramWindow[];
  /** CPU seconds that the generator had used by epoch ms, by its own account. */
  cpu?: CpuPoint[];
  /** The event loops that moved connections, see k6/extension/measure/index.d.ts; empty where there are none. */
  loops?: {
    loop: number;
    tid: number;
    cpus: number[];
    marks: {
      momentMs: number;
      atMs: number;
      cpuNs: number | null;
      waitNs: number | null;
      operations: { op: string; phase: string; lane: number | null; acked: number }[];
    }[];
  }[];
}

export interface CpuPoint {
  t: number;
  cpuSec: number;
}

export interface Interval {
  estimate: number;
  low: number;
  high: number;
}

export type ComparisonVerdict =
  | 'faster'
  | 'slower'
  | 'equivalent'
  | 'inconclusive'
  | 'insufficient'
  | 'refused';

/**
 * Two systems that were loaded at the same moment, per CPU-second of each. `ahead`: the whole interval lies beyond ±5 %;
 * `tie`: inside; `open`: neither; `trend`: too few starts for an interval. The ratio is that of the better one.
 */
export interface SideBySideVerdict {
  verdict: 'ahead' | 'tie' | 'open' | 'trend';
  winner: 'a' | 'b' | null;
  ratio: Interval | { estimate: number; low: null; high: null } | null;
  starts: number;
  /** Of an open comparison: 0.08 for 8 %. */
  apartAtMost?: number;
}

/** What a profile says of systems that are loaded at the same moment; see docs/method.md. */
export interface SideBySideProfile {
  /** Starts after which open comparisons stay open; `--until-decided` goes on. */
  maxStarts: number;
}

/** One load of two systems at once: an operation, or a mix of several, by so many connections. */
export interface SideBySideCell {
  id: string;
  /** The step of the profile that it stands for. */
  stepId: string;
  /** Name of the operation; that of the mix for several. */
  operation: string;
  parts: { op: string; share: number }[];
  connections: number;
  depth: number;
}

/** `price`: one product in two configurations of unlike promises; `same`: a system against a second one of itself. */
export interface SideBySidePair {
  a: string;
  b: string;
  kind: 'rivals' | 'price' | 'same';
  /** Ids of the cells on which they are compared. */
  cells: string[];
}

/** Systems of one workload and transport that are up together. */
export interface SideBySideGroup {
  workload: string;
  transport: string;
  /** Ids in the order of the plan. */
  systems: string[];
  /** The system of which a second one runs, so that every run shows what no difference looks like. */
  twinOf: string;
  pairs: SideBySidePair[];
  cells: SideBySideCell[];
  /** Operations that put something into a fresh system before it is warmed: how many of each. */
  fill: { op: string; operations: number }[];
}

export interface SideBySidePlan {
  groups: SideBySideGroup[];
  maxStarts: number;
  untilDecided: boolean;
  maxMinutes: number | null;
  placement: { systems: number[]; generator: number[] };
}

/** What k6/side-by-side.js is called with. */
export interface StartCall {
  start: number;
  workload: string;
  dataset: Record<string, number>;
  keySpace: string;
  documents: boolean;
  seed: number;
  /** Most connections of a cell. */
  users: number;
  /** Where each side asks what to do next: `POST <control>/<name>`. */
  control: string;
  exportFile: string;
  sides: SideCall[];
}

export interface SideCall {
  /** `s0`, `s1`, … in the order of the plan. */
  name: string;
  /** Its event loop: another one in every second start. */
  lane: number;
  stackFolder: string;
  target: { url: string; host: string; port: number; transport: string };
}

/** One piece of load for one side. */
export interface SideOrder {
  /** What its operations are recorded as; the same bounds for the same phase. */
  window: { phase: string; startMs: number; endMs: number };
  parts: { op: string; share: number }[];
  connections: number;
  depth: number;
  startMs: number;
  untilMs: number;
  /** Moments at which the event loops note what they have done, epoch ms. */
  cutsMs: number[];
  /** So many operations in place of an end in time. */
  fill?: number;
}

export interface SideReport {
  acked: number;
  failed: number;
  aborted: number;
  endedMs: number;
}

/** What a system's threads, or an event loop, did between two cuts; null where it could not be seen. */
export interface ThreadShares {
  seconds: number;
  cpuSec: number;
  waitSec: number;
  /** Shares of the time, 0 to 1, of the thread that ran most. */
  busiest: { run: number; wait: number };
}

/** One piece of load as the runner saw it. */
export interface RawSlice {
  kind: 'warm' | 'pair' | 'alone';
  cell: string;
  cutsMs: [number, number];
  sides: { name: string; threads: ThreadShares | null; report: SideReport }[];
  /** Of all CPUs together. */
  host: { busySec: number; stealSec: number; totalSec: number };
  generator: ThreadShares | null;
}

/** `raw/start.<group>.<start>.json` */
export interface StartRaw {
  schemaVersion: 1;
  group: number;
  start: number;
  status: Status;
  reason: string | null;
  startedAt: string;
  durationMs: number;
  sides: {
    name: string;
    lane: number;
    system: string;
    version: string | null;
    warm: boolean;
    idleCores: number | null;
  }[];
  slices: RawSlice[];
}

/** Who set an absolute figure; only of the first two is it the system's own. */
export type Attribution = 'system' | 'waits' | 'generator' | 'unattributed';

/** `results/starts/<group>.<start>.json` */
export interface StartRecord {
  schemaVersion: 1;
  methodVersion: number;
  runId: string;
  group: number;
  workload: string;
  transport: string;
  start: number;
  status: Status;
  reason: string | null;
  systems: {
    name: string;
    system: string;
    version: string | null;
    warm: boolean;
    oracle: { ok: boolean; acked: number | null; stored: number | null; detail: string } | null;
  }[];
  /** Two systems at the same moment: ln of operations per CPU-second, a over b; null where the slice does not count. */
  pairs: {
    cell: string;
    a: string;
    b: string;
    logRatio: number | null;
    problem: string | null;
    operationsPerCpuSec: { a: number | null; b: number | null };
  }[];
  /** One system at a time: absolute figures. */
  alone: {
    cell: string;
    system: string;
    ratePerSec: number;
    p50Ms: number | null;
    p99Ms: number | null;
    operations: number;
    failed: number;
    cpuUsPerOp: number | null;
    setBy: Attribution;
    /** Shares of a CPU: the system's busiest thread and the event loop, running, waiting, and stolen. */
    shares: { system: number | null; loop: number | null; steal: number };
  }[];
  /** CPUs that others kept busy, and the share that the hypervisor took, over all slices. */
  host: { foreignCores: number | null; stealShare: number };
}

/** Two systems on one cell, over all starts: what a report may print of them. */
export interface SideBySideComparison {
  workload: string;
  transport: string;
  cell: string;
  a: string;
  b: string;
  kind: SideBySidePair['kind'];
  verdict: SideBySideVerdict;
  /** Why slices did not count, and how many of each. */
  problems: Record<string, number>;
  operationsPerCpuSec: { a: number | null; b: number | null };
}
