/** Written by `npm run types` from the JSON Schemas of lib/schema: not to be edited. */

export type Version = string;
export type Builds = import('./types.d.ts').NativeBuild[];
export type Needs = import('./types.d.ts').NativeNeed[];
/** {port.<name>} and {url.<name>} stand for its port and address */
export type CompanionName = string;
/** Further free loopback ports: {port.<name>} */
export type Ports = CompanionName[];
/** An argument list, never a shell string */
export type Command = string[];
export type Commands = Command[];
export type DeclaredCheck = import('./types.d.ts').CompanionCheck;
/** Where an acknowledged write is: in memory, in the page cache, there and on disk within a stated time, on disk, or not known; systems of unlike policies are not ranked */
export type DurabilityPolicy = 'none' | 'page-cache' | 'fsync-interval' | 'fsync' | 'unknown';
/** The product in whose place it runs: it is shown, and wins and loses against nobody */
export type StandsInFor = string;
/** The setting that says how much memory it may take before it drops what it was given; absent: it drops nothing */
export type EvictsAt = string;
export type EngineName = 'native' | 'docker' | 'external';
export type DeclaredReady = import('./types.d.ts').ReadyCheck;
export type ProfileDataset = Record<string, number>;
export type FaultKind = 'kill' | 'pause' | 'memory' | 'disk-full' | 'slow-network' | 'partition';
/** burst: one JS call performs many operations; iteration: one operation per k6 iteration */
export type Drive = 'burst' | 'iteration';
export type LoadModel = 'closed' | 'open';
/** How requests are written; nagle: without TCP_NODELAY */
export type ClientPattern = 'one-write' | 'one-write-nagle' | 'two-writes' | 'two-writes-nagle';
export type VerdictStatus = 'VALID' | 'DEGRADED' | 'INVALID';
export type ReasonCode =
  | 'generator_starved'
  | 'runner_missing'
  | 'runner_restarted'
  | 'runner_saturated'
  | 'start_skew'
  | 'littles_law'
  | 'missing_metric'
  | 'oracle'
  | 'errors'
  | 'too_few'
  | 'idle'
  | 'late'
  | 'no_evidence'
  | 'stolen'
  | 'window_too_short'
  | 'setting_not_taken'
  | 'restarted'
  | 'clock_gap'
  | 'schedule_lag'
  | 'schedule_exceeded'
  | 'dropped'
  | 'target_missed'
  | 'knee_unknown'
  | 'set_by_client'
  | 'unattributed'
  | 'host_busy'
  | 'host_unseen'
  | 'storage_stand_in'
  | 'leaking'
  | 'drifting'
  | 'clinging'
  | 'soak_unclear'
  | 'p99_threshold'
  | 'script_threshold';
/** system: what the run is about. calibration: the null responder. observer: what the live outputs cost. durability: a kill under load and what is left after it. chaos: a fault in the midst of a load that goes on. syscalls: the same load while the system's syncs are counted; its speed is no figure */
export type CellRole = 'system' | 'calibration' | 'observer' | 'syscalls' | 'durability' | 'chaos';
export type Status = 'ok' | 'failed' | 'unsupported' | 'unavailable' | 'aborted';
/** Who set an absolute figure; of the first three the client did not. elsewhere: the client had time to spare, and the system was not seen */
export type Attribution = 'system' | 'waits' | 'elsewhere' | 'generator' | 'unattributed';
/** Where runners of a load are: processes of this machine, or pods of a cluster */
export type GeneratorsOn = 'local' | 'kubernetes';

export interface Environment {
  [k: string]: string;
}
export interface Durability {
  policy: DurabilityPolicy;
  /** What an acknowledgement means, in one sentence */
  meaning: string;
}
export interface DurabilityRule {
  from?: Version;
  below?: Version;
  transports?: string[];
  /** As the running server says */
  settings?: {
    [k: string]: string;
  };
  policy: DurabilityPolicy;
  /** What an acknowledgement means, in one sentence */
  meaning: string;
}
export interface NoteRule {
  from?: Version;
  below?: Version;
  note: string;
}
export interface TraitsRule {
  from?: Version;
  below?: Version;
  traits: Traits;
}
/** What else a reader should know of this configuration, given to nobody */
export interface Traits {
  [k: string]: string;
}
/** How a running server is asked for its version and its settings */
export interface AskRecipe {
  resp?: {
    /** Fields of INFO, the one that says most first */
    version: string[];
    /** Asked for by CONFIG GET beside those that it is given */
    settings?: string[];
  };
  tcp?: {
    send: string;
    /** Pattern of the answer, whose first group it is */
    version: string;
  };
  http?: {
    path: string;
    /** Field of the JSON answer; without it and settings the whole text */
    version?: string;
    /** Fields of the JSON answer that say how it is set */
    settings?: string[];
  };
}
/** What keeps the system busy beside the load, in steps that ask for it */
export interface BackgroundRecipe {
  title: string;
  command: Command;
}
export interface SystemPromise {
  title: string;
  metric:
    'throughput' | 'mean' | 'p50' | 'p95' | 'p99' | 'cpu' | 'memory' | 'hitRatio' | 'failures' | 'levelCost';
  load: PromisedLoad;
  atLeast?: number;
  atMost?: number;
  against?: PromisedAgainst;
  /** Keeps the promise, too: the same metric under the same load, against something else */
  or?: {
    against: PromisedAgainst;
    atLeast?: number;
    atMost?: number;
  };
}
export interface PromisedLoad {
  workload: string;
  /** Absent: all operations together */
  operation?: string;
  /** Absent: the fewest that the run has */
  users?: number;
  depth?: number;
  /** What differs from the data of the profile */
  dataset?: {
    [k: string]: number;
  };
}
/** By which the figure is divided: that of another system, what the system's storage does alone, or its own where the load differs by these fields */
export interface PromisedAgainst {
  system?: string;
  storage?: boolean;
  operation?: string;
  users?: number;
  depth?: number;
  dataset?: {
    [k: string]: number;
  };
}
/** The system in containers: compose.yml of the folder starts it */
export interface DockerRecipe {
  /** Service of compose.yml that the client talks to */
  service: string;
  /** Port of that service on the network of the containers */
  port: number;
  /** Variables of compose.yml that replace an image, with the pinned image that stands there */
  images: {
    [k: string]: string;
  };
  /** Other variables of compose.yml that this configuration sets */
  env?: {
    [k: string]: string;
  };
  /** The image keeps settings of its own: none of the manifest's reaches it, and none is printed */
  settings?: false;
  version?: Command;
}
/** A program that does the storing alone, run once in each repeat */
export interface LifecycleCeiling {
  title: string;
  workload: string;
  /** Operation whose items it stores */
  operation: string;
  command: Command;
  /** Name of the rate, items per second, in the line of JSON that it prints */
  rate: string;
}
/** What is measured beside load: start-up, idle memory, size, syncs, and a ceiling of the storage */
export interface LifecycleRecipe {
  runtime: {
    /** As the report prints it */
    what: string;
    /** A file or folder of the system's own */
    path?: string;
    /** A program on PATH that it needs and other programs may share: a line of its own */
    binary?: string;
  }[];
  ceiling?: LifecycleCeiling;
}
export interface VariantManifest {
  title: string;
  /** What tells it from the base in a title that has both: AOF everysec */
  setting?: string;
  standsInFor?: StandsInFor;
  durability?: Durability;
  /** null: it is given none of that name */
  settings?: {
    [k: string]: string | null;
  };
  evictsAt?: EvictsAt;
  traits?: Traits;
  /** Companions replace those of the same name, where the base has any; null: it does not run natively */
  native?: Partial<NativeRecipe> | null;
  /** null: it does not run in containers */
  docker?: Record<string, unknown> | null;
  /** Takes part in these alone, unless it is named in full; absent: in all */
  profiles?: string[];
  restart?: boolean;
}
export interface DeclaredNeed {
  binary: string;
  /** The variable by which a user names a program of their own, whatever it is called */
  env?: string;
  /** Where to look for it beside PATH, and below an unpacked package; ~ is the home folder, and a last part of * each folder in it: of these the newest program is taken */
  folders?: string[];
  debian?: string;
  brew?: string;
  hint?: string;
  /** Size of its package and of those that it needs */
  megabytes?: number;
}
export interface DeclaredBuild {
  /** Folder inside the stack; its files key the cache. Absent: the command keys it, and names a version */
  folder?: string;
  command: Command;
  /** How long the first build takes, said before it starts */
  about?: string;
  /** Many minutes: built only where the system is asked for by name */
  slow?: boolean;
  /** {name} stands for the folder of the result; hooks get it as BUILD_<NAME> */
  name?: string;
  /** Of hookBuild: where it is needed; absent: everywhere */
  engines?: EngineName[];
  /** Measured with empty caches: CPU time, and what is fetched */
  cost?: {
    cpuSec: number;
    megabytes: number;
  };
}
export interface DeclaredCompanion {
  name: CompanionName;
  /** Companions before it that must answer before it is started; without this field all of those */
  after?: CompanionName[];
  needs?: Needs;
  build?: Builds;
  ports?: Ports;
  version?: Command;
  prepare?: Commands;
  start: Command;
  ready: DeclaredCheck;
  setup?: Commands;
  env?: Environment;
  stop?: 'SIGTERM' | 'SIGINT' | 'SIGQUIT';
  graceSec?: number;
  /** Prints a line of name, tab and value for each setting, run once it is up; what those named here must be: another value makes the cells INVALID setting_not_taken */
  readBack?: {
    command: Command;
    settings: {
      [k: string]: string;
    };
  };
  url?: string;
  given?: {
    /** The variable by which a user gives the address of one that runs already */
    env: string;
    clear?: Commands;
    /** What the manifest speaks of: one that is given is asked whether it is that, and is called what it says */
    product?: {
      name: string;
      ask: Command;
    };
  };
}
export interface NativeOverride {
  /** The variable that names a program of the user's own, of origin upstream */
  env: string;
  /** The names by which it is taken from PATH where the variable is not set, the first one first; all of them are started by the same line */
  path?: string[];
  title: string;
  start: Command;
  version?: Command;
  traits?: Traits;
}
export interface NativeRecipe {
  needs?: Needs;
  /** Processes that the system needs beside its own, started before it, in order */
  companions?: import('./types.d.ts').NativeCompanion[];
  build?: Builds;
  /** Files of the stack that are filled in like the arguments and written to {data} */
  config?: string[];
  start: Command;
  version?: Command;
  override?: NativeOverride;
  env?: {
    [k: string]: string;
  };
}
/** What the server is given, by its own names: {settings} in an argument list stands for --name value of each, {setting.<name>} anywhere for one; in compose.yml ${<SERVICE>_<NAME>:-value}. The report prints them */
export interface Settings {
  [k: string]: string;
}
/** stacks/<system>/stack.json */
export interface StackManifest {
  $schema?: string;
  /** The product's name as the report prints it */
  title: string;
  /** upstream: the vendor's own build; reference: a server of ours that implements the vendor's published contract */
  origin: 'upstream' | 'reference';
  homepage?: string;
  /** Of its points in every chart: no other system of its workloads may have it */
  color?: string;
  /** When it fits for reasons that no measurement shows; printed as "not measured" */
  fits?: string[];
  workloads: {
    [k: string]: {
      transports: string[];
      /** Which variants take part beside the base; absent: the base only */
      variants?: string[];
      /** The variants take part, and the base does not */
      base?: false;
    };
  };
  /** The same product configured otherwise: laid over the manifest, objects merged, arrays replaced */
  variants?: {
    [k: string]: VariantManifest;
  };
  durability: Durability;
  settings?: Settings;
  standsInFor?: StandsInFor;
  evictsAt?: EvictsAt;
  traits?: Traits;
  native?: NativeRecipe;
  /** The first rule that holds of what runs stands in place of durability */
  durabilityWhen?: DurabilityRule[];
  /** Traits of a range of versions, over the others */
  traitsWhen?: TraitsRule[];
  /** Why what the server says of its size may differ from what its files hold: printed where they do by more than a tenth */
  sizesApart?: string;
  /** How it works, where that holds of a range of versions alone: the report prints those of the version that ran, behind what the README says of all */
  notesWhen?: NoteRule[];
  ask?: AskRecipe;
  hookBuild?: Builds;
  background?: BackgroundRecipe;
  /** What the system should reach or keep to; the report says whether it does */
  promises?: SystemPromise[];
  docker?: DockerRecipe;
  endpoint: {
    /** What the client gets as BASE_URL; {host}, {port} and {transport} are filled in */
    url: string;
    /** The product's usual port */
    port: number;
    ready?: DeclaredReady;
    /** How a system given by --endpoint tells that it was restarted: what it is asked, and behind which text the name of this start of it stands */
    mark?: {
      send: string;
      after: string;
    };
  };
  lifecycle?: LifecycleRecipe;
  /** The conformance check: what a running server ({url}) must answer right before any load; prints {passed, failed, failures} as JSON */
  conformance?: {
    command: Command;
    /** Arguments that are added for a system that the suite itself started */
    ours?: string[];
  };
  ready: DeclaredReady;
  /** It keeps its data, so that it can be killed and started again on it */
  restart?: boolean;
  /** Of a server of this project: the most memory that its README states, beside its data */
  memory?: {
    /** Without a connection */
    ownMib: number;
    /** For each connection that has sent nothing, or the beginning of a request */
    connectionKib: number;
    /** Most of them */
    connections?: number;
    /** For all bodies, commands and answers together */
    inAllMib?: number;
    /** The argument that sets after how many seconds a request begun is given up */
    patience?: string;
  };
}
/** What happens to the system in the midst of a paced load */
export interface Fault {
  kind: FaultKind;
  /** From the beginning of the window */
  atSec: number;
  /** How long it lasts; a kill is over at once */
  forSec?: number;
}
export interface ProfileStep {
  id: string;
  /** The workloads that run the step; absent: all */
  workloads?: string[];
  dataset?: ProfileDataset;
  model: LoadModel;
  vus: number;
  /** Requests in flight per connection */
  depth?: number;
  /** How long the load lasts; or operations, never both */
  durationSec?: number;
  /** In place of durationSec: operations of each kind, shared by the virtual users */
  operations?: number;
  /** With operations: of each kind, before the measured ones; a tenth of them unless given */
  warmupOperations?: number;
  warmupSec?: number;
  /** What the step stands for on a benchmark page; such steps make a section of their own */
  title?: string;
  clientPattern?: ClientPattern;
  drive?: Drive;
  /** Open model: target rate as a share of the knee measured in the same repeat */
  fractionOfKnee?: number;
  /** With fractionOfKnee: no more than this, whatever the knee */
  mostPerSec?: number;
  /** Open model: a fixed target rate, operations per second */
  ratePerSec?: number;
  /** One window only: that of the workload's main operation */
  focus?: boolean;
  /** One window only, where the step lasts a time: that of the operation that writes, as under a fault */
  writes?: boolean;
  /** Memory and latency over time are judged; --duration sets its length */
  soak?: boolean;
  /** The background load of a system's manifest runs beside the step, at this rate; systems without one leave the step out */
  background?: {
    ratePerSec: number;
  };
  fault?: Fault;
  /** SIGKILL after durationSec under load, restart on the same data, count what is left */
  kill?: boolean;
  /** With kill: what was not synced to the disk is lost with it, as by a power cut */
  powerLoss?: boolean;
}
export interface Thresholds {
  /** Highest tolerated share of failed operations */
  errorRatio?: number;
  /** Highest tolerated service-time p99, in milliseconds */
  p99Ms?: number;
  /** Fewest operations of a window, in place of the method's 1000 */
  minOperations?: number;
  /** Open model: least achieved share of the target rate */
  achievedRatio?: number;
}
/** Systems that run here as processes are loaded at the same moment and compared per CPU-second; the steps say by how many connections */
export interface SideBySideProfile {
  /** Starts after which open comparisons stay open, unless --until-decided */
  maxStarts: number;
  /** Each system is warmed in slices of so many seconds, until two successive ones agree; absent: 1 */
  warmupSec?: number;
  /** No start begins later than that; --max-minutes says otherwise */
  maxMinutes?: number;
  /** Ids of the workloads that run side by side; default: all that can */
  workloads?: string[];
  /** Ids of the steps that are loads for systems side by side; default: all that can be */
  steps?: string[];
  /** Where absolute figures come from: slices of the starts (default), or cells one after another, so that who cannot stand beside the others is compared with them, too */
  absolute?: 'slices' | 'cells';
}
/** profiles/<profile>.json */
export interface Profile {
  $schema?: string;
  title: string;
  /** Key choice and order of the systems follow from it */
  seed: number;
  repeats: number;
  /** Which workloads it is meant for, unless --workloads says otherwise; absent: all */
  workloads?: string[];
  /** Before the windows of a step; one of less than a second comes right before each of them, by the users of it */
  warmupSec: number;
  coolDownSec: number;
  /** At most, how long a system that still works on what a load has left is waited for; absent: 20 */
  restSec?: number;
  drive: Drive;
  dataset: ProfileDataset;
  calibration?: {
    /** Of each kind, for steps that are bound by a count */
    operations?: number;
    durationSec: number;
    /** Ids of the steps beside which the null responder stands; absent: all of them */
    steps?: string[];
  };
  /** Of each system whose start-up is measured; absent: 10 */
  coldStarts?: number;
  /** false: a load of one system whose windows are too short for it is not run again for longer */
  fitWindows?: boolean;
  /** false: what each storage does in a bare loop is not measured */
  ceilings?: boolean;
  /** k6 writes its own page (its web dashboard's export) for each cell that one k6 loads; absent: it does not */
  k6Html?: boolean;
  observer?: {
    pairs: number;
    durationSec: number;
    vus: number;
  };
  /** Systems whose server is not built yet take part only where --systems names them */
  atHand?: boolean;
  sideBySide?: SideBySideProfile;
  steps: ProfileStep[];
  thresholds: Thresholds;
}
export interface Dataset {
  [k: string]: number;
}
export interface OperationFacts {
  /** The window that it shares with others */
  window?: string;
  /** In a window of shares: its part of the operations that the same users perform */
  share?: number;
  /** Of a workload as data: what follows each of these that found nothing */
  filledBy?: string;
  /** Users of its own: a name in the dataset */
  users?: string;
  /** Received by clients of its own, not sent */
  received?: boolean;
  /** Received over the connections of the load */
  pushed?: boolean;
  /** Nothing tells how long it takes: it is counted */
  untimed?: boolean;
  /** A kill is measured by the first that writes */
  writes?: boolean;
  /** Systems are known by it; absent: by the first operation */
  main?: boolean;
  /** How many items it carries: a number, or a name in the dataset */
  items?: number | string;
  /** All data is stored before it: then its size is read */
  footprintBefore?: boolean;
  shown?: {
    /** The kind of query that it is, as a table calls it */
    query?: string;
    /** The relations that it follows */
    label?: string;
    /** Levels of relations that it follows */
    depth?: number;
    /** What it has beside the chain of relations */
    beside?: string;
  };
}
export interface WindowFacts {
  /** together: each with users of its own; shares: the same users, by chance; turns: the same users, in order */
  order: 'together' | 'shares' | 'turns';
  /** Every user performs these again and again; one may come several times */
  turns?: string[];
}
export interface WorkloadCase {
  dataset: Dataset;
  transports?: string[];
}
/** facts of k6/workloads/<workload>.js */
export interface DeclaredFacts {
  title: string;
  /** In the order in which they run */
  operations: {
    [k: string]: OperationFacts;
  };
  /** Windows that several operations share; the others have one of their own */
  windows?: {
    [k: string]: WindowFacts;
  };
  /** Each step is measured once in each case */
  cases?: {
    [k: string]: WorkloadCase;
  };
  dataset?: Dataset;
  /** A k6 script of a user's own, given by --script: its users call its default function again and again */
  script?: boolean;
  /** Whether several requests may be under way on a connection */
  pipelines: boolean;
  /** The only drive that can perform it; or, by transport, the only one that can speak it */
  drive?:
    | Drive
    | {
        [k: string]: Drive;
      };
  keys?: {
    /** Name in the dataset of how many keys there are; absent: keys */
    space?: string;
    /** Every operation of a fixed count has a key of its own, known to those after it */
    each?: boolean;
    /** Each key has a JSON document */
    documents?: boolean;
    /** What is sent to each key is counted, and the values of replies are checked by it */
    tallied?: boolean;
  };
  /** It has steps of a fixed count only: the name in the dataset that says how many where a step gives a time */
  fixedCount?: string;
  /** How long load runs before a window opens */
  leadSec?: number;
  /** Shortest window of an operation */
  minWindowSec?: number;
  /** Fewest operations of a window, in place of the method's own */
  minOperations?: number;
  /** For the report only */
  shown?: {
    /** Workloads of one suite are shown side by side */
    suite?: string;
    /** What an operation carries several of */
    item?: string;
  };
}
export interface DataOperation {
  /** Its part of the operations; all of them make 1 */
  share?: number;
  /** Its words, with {key}, {value} and {ttl} */
  command?: string[];
  /** http; absent: GET */
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path?: string;
  headers?: {
    [k: string]: string;
  };
  body?: string;
  /** What it does with the value of its key; absent: what everybody knows of the command or the method */
  does?: 'reads' | 'writes' | 'swaps' | 'removes' | 'inserts' | 'fills' | 'adds' | 'counts' | 'nothing';
  /** What a right answer is */
  reply?: {
    /** Of a command */
    kind?:
      'simple' | 'integer' | 'bulk' | 'bulk-or-null' | 'integer-or-bulk-or-null' | 'array' | 'ok' | 'any';
    /** With kind simple: what it says */
    text?: string;
    /** http; absent: any 2xx */
    status?: number;
    /** http, of what reads and removes: the status that says that there is no such thing (404) */
    missing?: number;
    /** http: the body must contain it */
    contains?: string;
  };
}
/** A workload as data, given by --workload FILE.json */
export interface DataWorkload {
  /** As the report calls it; absent: the name of the file */
  title?: string;
  /** A transport that systems speak, of commands or http; absent: http where operations have a path, else resp */
  protocol?: string;
  keys: {
    /** How many keys there are: 0 up to count - 1 */
    count: number;
    /** The exponent: the k-th key is asked for in proportion to 1 / k^zipf */
    zipf?: number;
    /** With zipf: popular keys are spread over the space, as YCSB does */
    scrambled?: boolean;
    /** As zipf, by age: the key that was inserted last is the most wanted one */
    latest?: number;
    /** One after another, all users together */
    sequential?: boolean;
    /** A part of the keys, and the part of the operations that asks for them */
    hot?: number[];
    /** How many keys may be inserted beyond count; absent: as many again */
    room?: number;
  };
  value?: {
    /** One length; a range; lengths with their weights; median, sigma and most of a log-normal one; or from, scale, shape, small and most of a generalized Pareto one */
    bytes?:
      | number
      | number[]
      | {
          [k: string]: number;
        };
    /** The part of each value that is one repeated character */
    compressible?: number;
  };
  /** What {ttl} stands for: after that a value must be gone */
  ttlSec?: number;
  /** The store may drop values that it was given, as a cache does; one that this suite starts may where its manifest has evictsAt */
  evicts?: boolean;
  /** What writes each key before the load, where no operation of the load does; false: nothing */
  fill?: false | DataOperation;
  /** One request is under way on a connection: steps with a depth are left out */
  pipeline?: false;
  /** Each by a name of one's own */
  operations: {
    [k: string]: DataOperation;
  };
}
export interface ScriptMetric {
  name: string;
  type: 'trend' | 'rate' | 'counter' | 'gauge';
  /** Its values are ms */
  isTime?: boolean;
  count: number;
  mean?: number;
  min?: number;
  p50?: number;
  p95?: number;
  p99?: number;
  max?: number;
  share?: number;
  perSec?: number;
  last?: number;
}
export interface RequestRow {
  value: string;
  /** That did not fail; the times are theirs */
  count: number;
  failed: number;
  failedMeanMs?: number;
  mean?: number;
  min?: number;
  p50?: number;
  p95?: number;
  p99?: number;
  max?: number;
}
export interface StoredSize {
  /** By the system's own counter */
  ownBytes: number | null;
  /** By the files on disk; null where they are not ours to see */
  diskBytes: number | null;
}
/** Milliseconds */
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
export interface Verdict {
  status: VerdictStatus;
  reasons: Reason[];
}
export interface Reason {
  code: ReasonCode;
  operation?: string;
  measured?: number | string | null;
  limit?: number | string | null;
}
/** The dataset of a cell, the same for every system */
export interface DatasetFacts {
  documents: number;
  bytes: number;
  meanBytes: number;
  minBytes: number;
  maxBytes: number;
  sha256: string;
}
/** The step in which the size of the stored data was read */
export interface Footprint {
  documents: number;
  /** Of the documents themselves, without keys */
  rawBytes: number;
  counter: string;
  before: StoredSize;
  compaction: string | null;
  after: StoredSize | null;
  problem: string | null;
}
/** What the background load of a step did, from before the warm-up to after the check of the state */
export interface BackgroundResult {
  title: string;
  targetPerSec: number;
  ratePerSec: number;
  count: number;
  /** From the commit of an item where it is made to its arrival in the system; null without any */
  latencyMs: {
    p50: number;
    p90: number;
    p99: number;
    max: number;
  } | null;
  /** The most items that were under way at once */
  mostLag: number;
  /** From the last item to the arrival of all */
  drainMs: number;
}
export interface UntakenSetting {
  setting: string;
  given: string;
  stated: string;
}
export interface Interval {
  estimate: number;
  low: number;
  high: number;
}
/** Slopes over time, the beginning left out */
export interface SoakResult {
  /** Seconds that were looked at */
  sec: number;
  rssBytesPerMin: Interval | null;
  rssSecondHalfBytesPerMin: number | null;
  /** Slowest leak that would have been flagged */
  detectableBytesPerMin: number | null;
  p99MsPerMin: Interval | null;
  /** Share of its median by which the p99 grew over all the time */
  p99Growth: Interval | null;
  /** Open file descriptors of all its processes; null where they could not be counted */
  openFiles?: SoakCount | null;
  threads?: SoakCount | null;
  /** What its data took on disk when the window began and when it ended; null where that cannot be seen */
  disk?: {
    firstBytes: number;
    lastBytes: number;
  } | null;
  /** The whole soak in equally long stretches, medians of each; null where there was no reading */
  points?: {
    /** Middle of the stretch, from the beginning of the window */
    minute: number;
    rssBytes: number | null;
    p99Ms: number | null;
    openFiles: number | null;
    threads: number | null;
    diskBytes: number | null;
  }[];
  verdict: 'steady' | 'drifting' | 'leaking' | 'clinging' | 'unclear';
}
/** A count over time, the beginning left out: medians of the first and the last tenth, the most, and the slope */
export interface SoakCount {
  first: number;
  last: number;
  most: number;
  perHour: Interval | null;
}
/** Limits between which a share of a CPU lies; the same where it was seen itself */
export interface Within {
  least: number;
  most: number;
}
/** How often the system was looked at, and how often one of its threads was in disk sleep then: in a call that reads, writes or syncs a file */
export interface DiskSleep {
  looks: number;
  seen: number;
}
/** Shares of a CPU that the busiest threads of system and client wanted; null: not seen at all */
export interface Shares {
  system: Within | null;
  loop: Within | null;
  /** Of records of before November 2026: CPUs that all threads of each used, where single threads were not seen */
  cores?: {
    system: number;
    client: number;
  };
  diskSleep?: DiskSleep;
}
export interface OperationResult {
  count: number;
  late: number;
  aborted: number;
  dropped: number;
  durationMs: number;
  ratePerSec: number;
  /** Items (say events) that one operation carries, where it carries a stated number */
  itemsPerOp?: number;
  /** Users of its own, where they are not those of the step */
  users?: number;
  /** True for what is received, not sent: no law of the closed model holds for it */
  received?: boolean;
  /** Of a mix, or of turns: its share of the operations that the same users perform; the users, the CPU and Little's law are those of all of them */
  share?: number;
  /** The operation that follows each of these that found nothing */
  filledBy?: string;
  targetPerSec: number | null;
  errors: {
    [k: string]: number;
  };
  /** Of the errors, from the send to the end of each, summed up, ms; absent without any, and where k6 timed the load itself */
  failedMs?: number;
  /** Of the errors, those that the server gave a name, by that name: `HTTP 503 Overloaded`, `closed 1013`; absent without any */
  errorKinds?: {
    [k: string]: number;
  };
  serviceMs: Latency | null;
  responseMs: Latency | null;
  lagMs: Latency | null;
  systemCpuUsPerOp: number | null;
  generatorCpuUsPerOp: number | null;
  generatorCpuRatio: number | null;
  /** Mean time between two operations of a virtual user spent outside operations (interactive law), ms */
  outsideMs: number | null;
  /** Steps by count: from the first send to the last answer of each user, summed up, ms */
  presentMs?: number;
  /** Shares of a CPU that the busiest thread of each wanted; null where its threads were not seen, absent in older records */
  busiest?: {
    system: number | null;
    loop: number | null;
    diskSleep?: DiskSleep;
  };
  /** Null where nobody can have set it: a schedule did, or pauses */
  setBy: Attribution | null;
  shares: Shares;
  verdict: Verdict;
  series: SeriesPoint[];
}
/** One second; latencies are null where nothing ended in it */
export interface SeriesPoint {
  t: number;
  count: number;
  errors: number;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  maxMs: number | null;
}
export interface ResourceUse {
  cpuSec: number;
  cpuCores: number;
  /** null: not read during the load */
  rssPeakBytes: number | null;
  /** null: not read during the load */
  rssSteadyBytes: number | null;
  ioReadBytes: number | null;
  ioWriteBytes: number | null;
  /** null: not told */
  threadsPeak: number | null;
  /** null: not told */
  processes: number | null;
  netRxBytes?: number | null;
  netTxBytes?: number | null;
}
export interface HostUse {
  cores: number;
  busyRatio: number;
  stealRatio: number;
}
export interface OracleResult {
  ok: boolean;
  acked: number | null;
  stored: number | null;
  indeterminate: number | null;
  /** Values that nobody can have put there; absent where there are none */
  wrong?: number;
  /** Acknowledged writes that are not there, each place by itself; absent where there are none */
  missing?: number;
  /** Writes that are there more often than they were sent, each place by itself; absent where there are none */
  surplus?: number;
  detail: string;
}
export interface LostOutput {
  output: string;
  /** The first error that k6 told of it */
  cause: string;
}
export interface LiveReconciliation {
  sink: string;
  samplesSeen: number;
  samplesWritten: number;
  pointsLost: number;
  lossy: boolean;
}
export interface ChaosResult {
  kind: FaultKind;
  beforeP50Ms: number;
  beforeP99Ms: number;
  beforePerSec: number;
  /** Of operations that were due while it lasted; null where none was answered, or it was over at once */
  duringP99Ms: number | null;
  /** From its beginning until an operation that was sent after it was acknowledged; null: none was */
  firstSuccessMs: number | null;
  /** From its end (a kill: from its beginning) until p99 was back; null: not within watchedMs */
  restoredMs: number | null;
  watchedMs: number;
  /** p99 at which it counts as back */
  limitMs: number;
  /** Of a kill: from the start to the first right answer */
  restartMs: number | null;
  acked: number;
  lost: number;
  twice: number;
  /** What was wrong although nothing was lost or stored twice */
  inconsistent?: string;
  /** What was sent, failed or dropped against what the schedule holds, where it is more */
  dueRatio?: number;
  errors: {
    [k: string]: number;
  };
  rssBeforeBytes: number | null;
  rssAfterBytes: number | null;
}
/** Acknowledged against recovered, after a SIGKILL under load and a restart on the same data */
export interface Recovery {
  acked: number;
  recovered: number;
  /** Sent and not answered: may be there or not */
  indeterminate: number;
  lost: number;
  /** There although nobody sent it */
  unexplained: number;
  /** What does not follow from the writes that are there, although none is lost */
  inconsistent?: string;
  /** Of the load, up to the kill */
  ackedPerSec: number;
  /** From the start to the first right answer */
  restartMs: number;
}
/** Of a cell whose load several runners shared; absent: one generator did it all */
export interface GeneratorsResult {
  on: GeneratorsOn;
  count: number;
  /** Of a cluster, on which they were; absent: this machine */
  nodes?: number;
  /** Between the runner whose windows began first and the one whose began last, ms, by the clocks of their machines */
  startSkewMs: number | null;
  /** Whose part of the figures is missing, and why */
  missing: {
    runner: number;
    problem: string;
  }[];
  restarted: number[];
  /** The runner that used the largest share of its CPUs in a measured window; null: none told */
  busiest: {
    runner: number;
    operation: string;
    cpuRatio: number;
  } | null;
}
/** reports/<run>/results/<cell>.json */
export interface CellRecord {
  schemaVersion: 1;
  methodVersion: number;
  runId: string;
  cell: string;
  system: string;
  title: string;
  workload: string;
  transport: string;
  variant: string;
  generators?: GeneratorsResult;
  /** Of a system that pods load: pods of a cluster that its kubelets were asked about */
  systemPods?: {
    pods: number;
    /** Nothing is known of the system's CPU and memory; null: it is */
    why: string | null;
  };
  dataset?: DatasetFacts;
  footprint?: Footprint;
  durability: string;
  background?: BackgroundResult;
  /** Of a load by a script that k6 did not bring to its end; absent: it did */
  k6ExitCode?: number;
  /** Metrics that a script of the user's own made, by what it added in the window; absent: none */
  metrics?: ScriptMetric[];
  /** Requests of a script by the value of a tag, those that took most time together first; absent: nobody asked */
  requests?: {
    tag: string;
    rows: RequestRow[];
    others?: RequestRow;
    /** Values that others stands for, at least */
    beyond?: number;
  };
  /** Settings of a server that somebody else configured, as it says */
  stated?: {
    [k: string]: string;
  };
  /** Names of the processes that were looked at of a server that somebody else started */
  processes?: string[];
  /** Settings that the server was given and says otherwise */
  untaken?: UntakenSetting[];
  /** Titles of what stood in for a storage; absent: nothing did */
  standIns?: string[];
  /** Syncs inside the measured windows, by system call, and the time in them; only where they were counted */
  syncs?: {
    calls: {
      [k: string]: number;
    };
    ms: number;
  };
  soak?: SoakResult;
  origin: 'upstream' | 'reference';
  version: string | null;
  role: CellRole;
  engine: EngineName;
  step: import('./types.d.ts').Step;
  repeat: number;
  /** Place of its trial among those of several systems; absent: no other system was up */
  paired?: number;
  position: number;
  status: Status;
  reason: string | null;
  logTail: string[];
  startedAt: string | null;
  durationMs: number | null;
  /** Of operations that take turns: service time of all of them together */
  wholeMs?: Latency | null;
  operations: {
    [k: string]: OperationResult;
  };
  resources: {
    system: ResourceUse | null;
    generator: ResourceUse | null;
    host: HostUse | null;
    /** By which the clock moved on, or back, from one sample to the next; absent where no more than a sampler can be late */
    gapSec?: number;
  };
  /** What was stored before the load that its answers list whole; absent where none do */
  listed?: number;
  /** k6 has written its own page of it; absent: it was not asked to, or had too little to show */
  k6Html?: boolean;
  /** CPUs that the system took before the load; null where that was not seen, absent in older records */
  idleCores?: number | null;
  oracle: OracleResult | null;
  verdict: Verdict;
  parity: {
    [k: string]: string | number | null;
  };
  live: LiveReconciliation | null;
  /** Outputs of --out that did not take all; absent: all did, or there were none */
  lostOutputs?: LostOutput[];
  /** Thresholds of a script that no sample was for; absent: none */
  unseen?: {
    metric: string;
    /** Empty: of the whole metric */
    tags: string;
  }[];
  warnings: string[];
  raw: string[];
  /** Of a fault under load only */
  chaos?: ChaosResult | null;
  /** Of a kill under load only */
  recovery?: Recovery | null;
}
export interface ProvenWay {
  /** As the server said; null: not on record */
  version?: string | null;
  /** When it was last seen */
  date?: string;
  saw?: string;
  /** What of the suite has changed since it was seen, and nobody has seen it again */
  since?: string;
  /** Folder of a published run that shows it */
  run?: string;
  /** Why nobody has seen it, and what would change that */
  blocked?: string;
}
/** stacks/<system>/proven.json: with which version each way to run it was seen, or what blocks it */
export interface Proven {
  native: ProvenWay;
  container: ProvenWay;
  endpoint: ProvenWay;
}
export interface UnmeasuredSystem {
  id: string;
  title: string;
  workloads: string[];
  /** How the address of one that runs already is written */
  endpoint: string;
}
/** What a system lost under load; only of runs that killed it */
export interface IndexedLoss {
  system: string;
  version: string | null;
  killed: WorstLoss;
  cut: WorstLoss;
}
export interface WorstLoss {
  tested: boolean;
  /** Whether any load has a figure */
  any: boolean;
  /** Largest share of acknowledged writes that a repeat lost */
  worst: number;
  loads: number;
  /** Whether it started again on any load */
  starts: boolean;
  /** Whether every load lost everything */
  all: boolean;
  /** Loads without a figure */
  failed: number;
}
export interface IndexedRun {
  /** Its folder */
  run: string;
  /** SHA-256 of its data.columns: while that is the same, so is this; null of a run whose files lie open */
  archive: string | null;
  /** How many of its measurements are valid, or how many starts it has */
  valid: string;
  date: string;
  profile: string;
  engine: string;
  /** What its workloads are about; null where that is too much for one line */
  topic: string | null;
  /** What its reader wants to know */
  question: 'ahead' | 'alone' | 'kill' | 'fault' | 'background' | 'time';
  /** The first sentences of its report, Markdown */
  answer: string;
  machine: string;
  /** Repeats, or starts side by side, of the comparison that has most */
  trials: number;
  workloads: {
    id: string;
    title: string;
  }[];
  systems: {
    id: string;
    title: string;
    name: string;
    /** A server of this project: never a winner against a product */
    ours: boolean;
    color: string;
    shape: number;
  }[];
  /** Those of most users first */
  loads: {
    workload: string;
    transport: string;
    step: string;
    operation: string;
    users: number;
    depth: number;
    /** By the name of the metric */
    metrics: {
      [k: string]: IndexedMetric;
    };
  }[];
  losses?: IndexedLoss[];
}
/** What systems did under a load by one metric, and who wins */
export interface IndexedMetric {
  /** By system */
  figures: {
    [k: string]: {
      median: number;
      low: number;
      high: number;
      n: number;
      bound: 'lower' | 'upper' | null;
      rankable: boolean;
    };
  };
  /** not compared: only one system was measured that may win */
  outcome: 'winner' | 'at least' | 'tie' | 'inconclusive' | 'too few' | 'not comparable' | 'not compared';
  winners: string[];
  /** How many times better the winners are than those that they beat: the least and the most, once where they are alike; empty without winners */
  factors: number[];
  /** From the lowest end of their 95 % intervals to the highest */
  interval: number[];
  /** Who was compared with the winners, or with each other, and did not win; all who might have won where nobody was compared */
  others: string[];
}
/** reports/index.json: what every run of a folder measured, for programs and for the results site */
export interface ResultsIndex {
  schemaVersion: 2;
  /** Newest first */
  runs: IndexedRun[];
  unmeasured: UnmeasuredSystem[];
}
/** What bars a comparison, weakens it, or was asked for by it: the code of a reason, and the values that it is about. */
export interface Why {
  code: string;
  /** Of `unlike`: the condition that differs; a side without a value is not known. */
  key?: string;
  a?: string | number | null;
  b?: string | number | null;
  /** Of a limit of this host. */
  ms?: number;
  /** Trials that it is about. */
  n?: number;
}
/** A load that two sides of a comparison have in common. */
export interface ComparedLoad {
  workload: string;
  transport: string;
  /** Id of the step. */
  step: string;
  operation: string;
}
/** A against B on one load by one metric, over trials: made by lib/figures/compare.js, and nowhere else. */
export interface Comparison {
  a: string;
  b: string;
  /** `price`: one product in two configurations, whose promises may differ; `same`: a system against a second one of itself. */
  kind: 'rivals' | 'price' | 'same';
  /** null: of what is no load's, such as start-up. */
  load: ComparedLoad | null;
  /** Id of the load in the plan of systems side by side; absent: none. */
  cell?: string;
  metric:
    | 'throughput'
    | 'p50'
    | 'p95'
    | 'p99'
    | 'response'
    | 'cpu'
    | 'efficiency'
    | 'memory'
    | 'startUp'
    | 'size'
    | 'recovery'
    | 'hitRatio';
  /** Whether both were loaded at the same moment: then a trial gives one ratio; else trials of one number do. */
  paired: boolean;
  medians: {
    a: number | null;
    b: number | null;
  };
  /** a / b of the metric as it stands, with its 95 % interval; null without a trial that has both, or where it is barred. */
  ratio: {
    estimate: number;
    low: number;
    high: number;
  } | null;
  /** Trials up to the last look. */
  n: number;
  /** The true ratio is at least, or at most, this. */
  bound: 'lower' | 'upper' | null;
  outcome: 'winner' | 'at least' | 'tie' | 'inconclusive' | 'too few' | 'not comparable';
  /** The side that did better, whether or not that decides anything; null without a ratio. */
  better: 'a' | 'b' | null;
  why: Why[];
}
export interface FiguresExport {
  schemaVersion: 2;
  run: string;
  profile: string;
  loads: {
    system: string;
    workload: string;
    transport: string;
    step: string;
    operation: string;
    connections: number;
    depth: number;
    /** Why there are no figures */
    failure: string | null;
    figures: {
      metric:
        | 'throughput'
        | 'p50'
        | 'p95'
        | 'p99'
        | 'cpu'
        | 'memory'
        | 'count'
        | 'failed'
        | 'failedMean'
        | 'mean'
        | 'min'
        | 'max'
        | 'last'
        | 'share'
        | 'perSec';
      unit: string;
      median: number;
      low: number;
      high: number;
      n: number;
      bound: 'lower' | 'upper' | null;
      rankable: boolean;
      why: string[];
    }[];
  }[];
  /** Of every two systems of the run, on every load, by every metric; of no run with one system */
  comparisons: Comparison[];
}
export interface CompareExport {
  schemaVersion: 2;
  before: string;
  after: string;
  notes: string[];
  /** Of --fail-on */
  limits: string[];
  exitCode: 0 | 4;
  /** Systems that were loaded at once in both runs: the ratio of the later run over that of the earlier one; `medians` are the two ratios */
  ratios: Comparison[];
  rows: {
    system: string;
    workload: string;
    transport: string;
    step: string;
    operation: string;
    connections: number;
    depth: number;
    /** Why the load as a whole is not compared; empty where it is */
    refusal: Why[];
    /** Why the later one has no figure where the earlier one has */
    lost: string | null;
    crossed: string[];
    /** a is the later side, b the earlier one: the ratio is after / before */
    changes: Comparison[];
  }[];
}
