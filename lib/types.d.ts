/**
 * The shapes that pass between the stages. Units stand in the names.
 * What a user writes and what a result holds is in lib/schema; its types are in types.gen.d.ts (`npm run types`).
 */
import type {
  BackgroundResult,
  CellRecord,
  CellRole,
  DataWorkload,
  DeclaredBuild,
  DeclaredCompanion,
  DeclaredFacts,
  DeclaredNeed,
  EngineName,
  FaultKind,
  GeneratorsOn,
  LostOutput,
  OperationResult,
  Profile,
  ProfileStep,
  SeriesPoint,
  StackManifest,
  Status,
  SystemPromise,
  UntakenSetting,
  Verdict,
} from './types.gen.d.ts';

export * from './types.gen.d.ts';

export interface NativeNeed extends DeclaredNeed {
  /** Where it comes from, when it is not found on PATH by its name. */
  source?: string;
}

export interface NativeBuild extends DeclaredBuild {
  /** What it is for; only in a resolved manifest. */
  companion?: string;
}

/** A process that a system needs beside its own; see lib/engines/companions.js. */
export interface NativeCompanion extends Omit<DeclaredCompanion, 'start' | 'ready'> {
  /** Always there in a manifest; absent in a resolved one where the user has given the companion. */
  start?: string[];
  ready?: CompanionCheck;
}

/** `port`: which of its ports is asked; `log`: a text in its own output. */
export type CompanionCheck = (ReadyCheck | { log: string; timeoutSec: number }) & { port?: string };

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
  /** Of one that is not its vendor's: what it has in the place of a storage. */
  standsIn?: string;
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

/** `results/lifecycle.<system>.json` */
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
  /** Of a variant: in which profiles it takes part without being named in full; absent: in all. */
  profiles?: string[];
  /** Of a variant: what tells it from the base in a title that has both. */
  setting?: string;
  /** Of a running server under a name of its own: the system whose client it gets. */
  like?: string;
}

/** A step of a profile, as the plan has it. */
export interface Step extends ProfileStep {
  /** The size of the stored data is read in it. */
  footprint?: boolean;
  /** Of a workload that has cases: which one. */
  case?: string;
  /** Operations that are left for systems one after another; the others are measured side by side. */
  only?: string[];
}

export interface WorkloadFacts extends DeclaredFacts {
  id: string;
  /** Absolute: of one outside the tree, given by `--workloads-folder` or `--workload`. */
  file?: string;
  /** Of a workload as data: what its file says. */
  data?: DataWorkload;
}

export interface PlannedSystem {
  id: string;
  /** The system whose client it gets, where it has a name of its own. */
  like?: string;
  /** Absent in plans older than variants. */
  variant?: string;
  /** Of a variant: what tells it from the base in a title that has both. */
  setting?: string;
  /** Not of the checkout: in a folder given by `--stacks`. */
  outside?: boolean;
  standsInFor?: StackManifest['standsInFor'];
  title: string;
  origin: StackManifest['origin'];
  engine: EngineName;
  endpoint?: string;
  role: 'system' | 'calibration';
  durability: { policy: string; meaning: string };
  /** How much memory it may take before it drops what it was given, as its settings say; absent: it drops nothing. */
  evictsAt?: string;
  durabilityWhen?: StackManifest['durabilityWhen'];
  traitsWhen?: StackManifest['traitsWhen'];
  /** How it works, from its stack's README. */
  notes?: string[];
  /** The same, of a range of versions. */
  notesWhen?: StackManifest['notesWhen'];
  /** Why its own size and that of its files may differ; absent where its manifest does not say. */
  sizesApart?: string;
  /** As the report prints them: what the server was given, then what else a reader should know. */
  settings: Record<string, string>;
  promises?: SystemPromise[];
  /** Where its program came from, filled in before the first cell. */
  provenance: string;
  /** What its user says of a program that is no build of the vendor's. */
  builtAs?: string;
  /** Of its lines in charts; absent in older plans. */
  color?: string;
  /** When it fits, as its manifest says: not measured. Absent in older plans. */
  fits?: string[];
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

/** Systems that are started together on fresh data, and the loads that they get. */
export type Trial = SingleTrial | PairedTrial;

interface AnyTrial {
  workload: string;
  transport: string;
  role: CellRole;
  /** Ids in the order of the plan. */
  systems: string[];
}

/** Of one system: its loads one after another. */
export interface SingleTrial extends AnyTrial {
  repeat: number;
  cells: CellPlan[];
}

/** Of several systems that are up at once: each load on each of them alone, and on pairs at the same moment. */
export interface PairedTrial extends AnyTrial {
  /** As often as its comparisons need. */
  repeat: null;
  cells: SideBySideCell[];
  /** The system of which a second one runs, so that every run shows what no difference looks like. */
  twinOf: string;
  pairs: SideBySidePair[];
  /** Ids of the cells that a first screen is about: they are asked for a narrow interval, too. */
  headline: string[];
  /** false: absolute figures are those of single trials, so that this one loads no system alone. */
  alone?: false;
  /** Operations that put something into a fresh system before it is warmed: how many of each. */
  fill: { op: string; operations: number; depth: number }[];
}

/** What a run leaves out, and why: a system, or some steps of a workload. */
export interface Absent {
  system?: string;
  /** Of the system; absent in older plans. */
  title?: string;
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
  /** Name of the file, of a profile of the user's own. */
  profileFile?: string;
  profile: Profile;
  repeats: number;
  orderSeed: number;
  engine: EngineName;
  /** Absent unless systems run in containers. */
  docker?: DockerConditions;
  hostCores: number;
  systems: PlannedSystem[];
  absent: Absent[];
  /** Who could have been measured beside a system that was measured alone; absent: nobody. */
  peers?: { id: string; title: string }[];
  workloads: WorkloadFacts[];
  trials: Trial[];
  /** Systems whose start-up, idle memory and size are measured; absent: none. */
  lifecycle?: { system: string; unavailable: string | null }[];
  estimatedSec: number;
  /** If a system of which nothing is known answers slowly; absent: hardly longer. */
  estimatedMostSec?: number;
  options: RunOptions;
  /** How long paired trials go on, and where; absent: there are none. */
  sideBySide?: SideBySidePlan;
  /** Why a profile that asks for it is measured one system after another. */
  notSideBySide?: string;
}

/** The flags that change what is measured; recorded so that `--resume` repeats them. */
export interface RunOptions {
  endpoints: Record<string, string>;
  /** `--watch`: process ids by system, of those that are given by their address; none: who listens at its port. */
  watch?: Record<string, number[]>;
  ports: Record<string, number>;
  generatorCpus: number | null;
  live: boolean;
  /** `--operations`: of each kind, in every step that is bound by a count. */
  operations?: number | null;
  /** `--duration`, as it was given: of a soak. */
  duration?: string;
  /** `--starts`, `--until-decided`, `--max-minutes`: how long systems are compared side by side. */
  starts?: number | null;
  /** Users of the profile's steps that were asked for; absent: all of them. */
  steps?: number[];
  untilDecided?: boolean;
  maxMinutes?: number | null;
  /** `--generators`, `--on`: the load comes from several runners; absent: from one. */
  generators?: GeneratorOptions | null;
  /** `--script`: a k6 script of the user's own is the workload; absent: one of this suite. */
  script?: ScriptOptions;
  /** `--compare-scripts`: each system is one of these, by its id; absent: one script is the workload of all. */
  scripts?: Record<string, ScriptOptions>;
  /** What was typed, without secrets: to measure the same again, to go on, and the profile with what it needs. Absent: not kept. */
  again?: { measure: string; resume: string; profile: string };
  /** `--out`: names of k6's outputs beside ours; their addresses may hold passwords. Absent: none. */
  outputs?: string[];
}

export interface ScriptOptions {
  /** Absolute. */
  path: string;
  /** Of the file itself; what it imports is not in it. */
  sha256: string;
  /** After `--`, without variables. */
  k6Options: string[];
  /** Names of the variables that stood there; their values are in no file. */
  variables: string[];
  /** Bytes came to its first iteration, and no metric of k6 tells of them: one that nothing comes to has failed. */
  mustReceive?: true;
  /** `--by`: the tag by which requests are told apart; absent: they are not. */
  by?: string;
  /** Systems that could be connected to from here after the rehearsal. */
  seen?: string[];
  /** Of the script, with the users that each would have had; absent: it was not looked at yet, or before there were any. */
  scenarios?: { name: string; executor: string; weight: number }[];
}

export interface GeneratorOptions {
  count: number;
  on: GeneratorsOn;
  /** Of each pod. */
  cpus?: number;
  /** Of the cluster; absent: that of its context. */
  namespace?: string;
  /** Of kubectl's configuration; absent: the current one. */
  context?: string;
}

/** The highest throughput of an operation, of which an open step takes a share. */
export interface Knee {
  ratePerSec: number;
  /** False where no window of it was usable, and this is the highest of those that were not. */
  usable: boolean;
}

/** An operation that no rule has been held to yet. */
export type UnjudgedResult = Omit<OperationResult, 'setBy' | 'shares' | 'verdict'>;

/** What was measured, before it is judged. */
export type UnjudgedRecord = Omit<CellRecord, 'operations' | 'verdict'> & {
  operations: Record<string, UnjudgedResult>;
};

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
  /** Names of the processes that were looked at of a server that somebody else started. */
  processes?: string[];
  /** Settings that the server was given and says otherwise. */
  untaken?: UntakenSetting[];
  background?: BackgroundResult;
  /** Of a kill under load. */
  recovery?: { killedAtMs: number; restartMs: number };
  /** Of a fault under load. */
  chaos?: ChaosMoments;
  /** Of the system, before the cell; absent where it runs in none. */
  containers?: ContainerFacts[];
  generatorCores: number;
  /** CPUs that the system took before the load; null where that cannot be seen. */
  idleCores?: number | null;
  /** k6 has written its own page of it. */
  k6Html?: true;
  /** Runners that shared the load; absent: one generator did it all. */
  generators?: GeneratorsMeta;
  /** Of a system that pods load, what a cluster told of it; absent: it was not asked. */
  systemPods?: SystemPods;
  targetPerSec: Record<string, number>;
  /** Operations whose target is a share of a figure that was not usable itself; absent: none. */
  kneeUnknown?: string[];
  k6ExitCode: number | null;
  /** Outputs of `--out` that did not take all; absent: all did, or there were none. */
  outputProblems?: LostOutput[];
  parity: Record<string, string | number | null>;
  telemetry: { influx: boolean; dashboard: boolean };
}

export interface GeneratorsMeta {
  on: GeneratorsOn;
  /** As planned. */
  count: number;
  /** CPUs that each may use. */
  coresEach: number;
  /** Of a cluster, on which they were; absent: this machine. */
  nodes?: number;
  /** Runners, from 1, that did not come to their end, and why. */
  problems: { runner: number; problem: string }[];
  /** Runners, from 1, that were started more than once. */
  restarted: number[];
}

/** What the kubelets of a cluster told of a system. */
export interface SystemPods {
  /** That it runs in. */
  pods: number;
  /** In order of time, those of all pods together. */
  readings: PodReading[];
  /** Why nothing, or nothing more, was told; null: it was. */
  why: string | null;
}

/** What all containers of a system had used by one moment. */
export interface PodReading {
  /** Epoch ms, by the clocks of the nodes. */
  t: number;
  cpuSec: number;
  /** Anonymous memory. */
  rssBytes: number;
}

export interface ResourceSample {
  /** Epoch ms. */
  t: number;
  system: ProcessSample | null;
  generator: ProcessSample | null;
  host: { busySec: number; totalSec: number; stealSec: number };
  /** The last size of the data on disk that was read, and when its reading began; where it was asked for. */
  disk?: { t: number; bytes: number } | null;
  /** Open file descriptors of all the system's processes; where they were asked for, null where they cannot be read. */
  openFiles?: number | null;
  /** Of the system's busiest thread since the sample before: shares of that time on a CPU and on a run queue. */
  busiest?: { run: number; wait: number } | null;
  /** Whether a thread of the system was in disk sleep at that moment. */
  diskSleep?: boolean | null;
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
  /** From the send to the end of each of them, summed up, ms; absent without any, and of what k6 times itself. */
  failedMs?: number;
  /** Of these, those that the server gave a name. */
  errorKinds?: Record<string, number>;
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
  /** Short slots of the window, where they were asked for. */
  timeline?: Timeline;
}

export interface Timeline {
  slotMs: number;
  /** Upper bound of bucket 0; bucket i ends at leastMs × growth^i. */
  leastMs: number;
  growth: number;
  slots: {
    /** Operations that were due here and were answered as expected, and their response times by bucket. */
    acked: number;
    buckets: [number, number][];
    /** That were known here, by class. */
    errors?: Record<string, number>;
    /** When the first operation that was sent here was acknowledged, epoch ms. */
    firstAckMs?: number;
  }[];
}

/** What only the runner knows of a fault, epoch ms and bytes. */
export interface ChaosMoments {
  kind: FaultKind;
  beganMs: number;
  /** A kill: the same moment. */
  endedMs: number;
  /** A kill, and a system that ended in its fault: from its start again to the first right answer. */
  restartMs: number | null;
  rssBeforeBytes: number | null;
  rssAfterBytes: number | null;
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

/**
 * What is said of two, always in these words. `winner`: the whole interval of the ratio lies beyond ±5 %; `at least`: a bound
 * does; `tie`: inside; `inconclusive`: neither; `too few`: fewer trials than a winner needs; `not comparable`: with a reason.
 */
export type Outcome = 'winner' | 'at least' | 'tie' | 'inconclusive' | 'too few' | 'not comparable';

export type MetricName = Comparison['metric'];

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
  /** Of the workload. */
  case?: string;
  /** Of a case: on top of the profile's. */
  dataset?: Record<string, number>;
  /** Fewest operations of a slice that counts, where it is not the method's number. */
  minOperations?: number;
  /** The two take turns in slots of this length, ms; else both are loaded all the time. */
  slotMs?: number;
}

/** `price`: one product in two configurations of unlike promises; `same`: a system against a second one of itself. */
export interface SideBySidePair {
  a: string;
  b: string;
  kind: 'rivals' | 'price' | 'same';
  /** Ids of the cells on which they are compared. */
  cells: string[];
}

export interface SideBySidePlan {
  maxStarts: number;
  untilDecided: boolean;
  maxMinutes: number | null;
  placement: { systems: number[]; generator: number[] };
}

/** What k6/main.js is told of a trial whose loads the runner orders. */
export interface TrialCall {
  start: number;
  /** Most connections of a load. */
  users: number;
  /** Where each system's user asks what to do next: `POST <control>/<name>`. */
  control: string;
  /**
   * `name`: `s0`, `s1`, … in the order of the plan; `lane`: its event loop, another one in every second start; `keepsAll`: it
   * drops nothing that it was given.
   */
  systems: { name: string; lane: number; stackFolder: string; url: string; keepsAll?: boolean }[];
}

/** One piece of load for one side. */
export interface SideOrder {
  /** What its operations are recorded as; the same bounds for the same phase. */
  window: { phase: string; startMs: number; endMs: number };
  parts: { op: string; share: number }[];
  connections: number;
  depth: number;
  dataset?: Record<string, number>;
  startMs: number;
  untilMs: number;
  /** Moments at which the event loops note what they have done, epoch ms. */
  cutsMs: number[];
  /** So many operations in place of an end in time. */
  fill?: number;
  /** When it is its turn. */
  slots?: { startMs: number; eachMs: number; of: number; own: number };
}

export interface SideReport {
  acked: number;
  failed: number;
  aborted: number;
  endedMs: number;
}

/** Service times by operation, ms; null without an answer. Of whole seconds: for who watches, and for no figure. */
export type RecentMs = Record<string, { p50: number; p95: number; p99: number } | null>;

/** What a system's threads, or an event loop, did between two cuts; null where it could not be seen. */
export interface ThreadShares {
  seconds: number;
  cpuSec: number;
  /** Null where single threads cannot be seen. */
  waitSec: number | null;
  /** Shares of the time, 0 to 1, of the thread that ran most; null where single threads cannot be seen. */
  busiest: { run: number; wait: number } | null;
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
    /** Resident memory without pages of files when its loads were over; null where it was not seen, absent in older runs. */
    rssBytes?: number | null;
  }[];
  slices: RawSlice[];
}

/** `results/start.<group>.<start>.json` */
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
    /** CPU that it takes without load, in cores; null where it was not seen. */
    idleCores: number | null;
    /** As in {@link StartRaw}. */
    rssBytes?: number | null;
    oracle: { ok: boolean; acked: number | null; stored: number | null; detail: string } | null;
  }[];
  /** Two systems at the same moment: ln of operations per CPU-second, a over b; null where the slice does not count. */
  pairs: {
    cell: string;
    a: string;
    b: string;
    logRatio: number | null;
    verdict: Verdict;
    operationsPerCpuSec: { a: number | null; b: number | null };
  }[];
  /** One system at a time, each load: records as of any other load. */
  alone: CellRecord[];
  /** CPUs that others kept busy, and the share that the hypervisor took, over all slices. */
  host: { foreignCores: number | null; stealShare: number };
}

/** `dry-run` as a name in code: `dryRun`. */
export type Camel<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest> & string>}`
  : Name;
