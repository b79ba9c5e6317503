/**
 * `npm run audit`: what is known against the packages that the lock files pin, and a bill of materials of them.
 *
 *   node scripts/audit.mjs [--sbom FILE] [--strict]
 *
 * `npm audit`, `govulncheck` and `cargo audit` each ask a database of their own. One that does not answer is
 * `unavailable` with its reason, and no proof of anything: with `--strict` it is a failure. What is known without any is said
 * first: how much is pinned, by version and hash. A finding is fixed, or explained in scripts/audit-explained.json (`id`,
 * `package`, `why`). Exit 0: nothing unexplained, and everything pinned; 4: something is not, or with `--strict` a database
 * did not answer.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cargoFindings, goFindings, npmFindings, unexplained } from './findings.js';
import { readLocks } from './locks.js';
import { sbomOf } from './sbom.js';

/** @import { Finding } from './findings.js' */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const GOVULNCHECK = 'golang.org/x/vuln/cmd/govulncheck@v1.9.0';
const GO_DATABASE = process.env.GOVULNDB ?? 'https://vuln.go.dev';
const CARGO_AUDIT = '0.22.2';
const CARGO_AUDIT_COMMAND = process.env.CARGO_AUDIT_COMMAND ?? 'cargo-audit';

/** What keeps a tool from an answer. */
class Unavailable extends Error {}

const { values: flags } = parseArgs({ options: { sbom: { type: 'string' }, strict: { type: 'boolean' } } });
const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const locks = readLocks(ROOT, files);
const unpinned = locks.flatMap((l) => l.problems);
const pinned = locks.reduce((sum, l) => sum + l.packages.length, 0);
console.log(
  `pinned by version and hash: ${pinned - unpinned.length} of ${pinned} packages in ${locks.length} lock files`,
);
for (const problem of unpinned) console.log(`  ${problem}`);

/** @type {Finding[]} */
const findings = [];
let missing = 0;
for (const [tool, language, ask] of /** @type {const} */ ([
  ['npm audit', 'npm', askNpm],
  ['govulncheck', 'go', askGo],
  ['cargo audit', 'cargo', askCargo],
])) {
  const own = locks.filter((l) => l.language === language && l.packages.length > 0);
  try {
    const found = [];
    for (const { file } of own) found.push(...(await ask(file)));
    findings.push(...found);
    console.log(`${tool}: ${found.length} findings in ${own.length} lock files`);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    missing++;
    console.log(`${tool}: unavailable: ${error.message}`);
  }
}

const explained = JSON.parse(readFileSync(join(ROOT, 'scripts', 'audit-explained.json'), 'utf8'));
const open = unexplained(findings, explained);
for (const { id, package: name, title } of open) console.log(`unexplained: ${id} ${name}: ${title}`);
if (flags.sbom) {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(flags.sbom, sbomOf(own, locks));
  console.log(`CycloneDX: ${flags.sbom}`);
}
console.log(`${findings.length} findings, ${open.length} unexplained, ${missing} of 3 databases unavailable`);
if (unpinned.length > 0 || open.length > 0 || (flags.strict && missing > 0)) process.exitCode = 4;

/** @param {string} lock */
async function askNpm(lock) {
  const { stdout, error } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
    cwd: join(ROOT, dirname(lock)),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (error) throw new Unavailable(error.message);
  return answer(() => npmFindings(stdout), stdout);
}

/** @param {string} lock */
async function askGo(lock) {
  // Asked first: the tool is built before it finds out, and that takes a minute.
  await fetch(`${GO_DATABASE}/index/db.json`, { signal: AbortSignal.timeout(10_000) }).then(
    ({ ok, status }) => {
      if (!ok) throw new Unavailable(`${GO_DATABASE} answers ${status}`);
    },
    (error) => {
      throw new Unavailable(`${GO_DATABASE}: ${error.cause?.code ?? error.message}`);
    },
  );
  const { stdout, stderr, error, status } = spawnSync(
    'go',
    ['run', GOVULNCHECK, '-db', GO_DATABASE, '-format', 'json', './...'],
    { cwd: join(ROOT, dirname(lock)), encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (error || status !== 0) throw new Unavailable(error?.message ?? lastLine(stderr));
  return answer(() => goFindings(stdout), stderr);
}

/** @param {string} lock */
async function askCargo(lock) {
  const version = spawnSync(CARGO_AUDIT_COMMAND, ['--version'], { encoding: 'utf8' });
  if (version.error || !version.stdout.includes(CARGO_AUDIT))
    throw new Unavailable(`no cargo-audit ${CARGO_AUDIT}: cargo install --locked cargo-audit@${CARGO_AUDIT}`);
  const { stdout, stderr } = spawnSync(CARGO_AUDIT_COMMAND, ['audit', '--json', '--file', join(ROOT, lock)], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return answer(() => cargoFindings(stdout), stderr);
}

/**
 * @param {() => Finding[]} read
 * @param {string} said what the tool said where it gave no findings
 */
function answer(read, said) {
  try {
    return read();
  } catch (error) {
    throw new Unavailable(/** @type {Error} */ (error).message || lastLine(said));
  }
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? 'no answer';
}
