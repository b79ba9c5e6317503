/**
 * What a user once set for tools of their own, in variables or in files of HOME, and what would change what is built or
 * measured here: set back, in this one place. Where packages, registries and clusters are found stays the user's.
 */

/** Of Go's runtime: how many threads a generator has, and when it collects. */
const GO_RUNTIME = ['GODEBUG', 'GOGC', 'GOMAXPROCS', 'GOMEMLIMIT'];

/** The command line of Docker puts these into every container where its configuration names a proxy. */
const PROXIES = ['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'];

/** For every tool. @type {Readonly<Record<string, string | undefined>>} */
export const PLAIN = Object.freeze({
  npm_config_ignore_scripts: 'false',
  npm_config_package_lock: 'true',
  npm_config_dry_run: 'false',
  npm_config_global: 'false',
  npm_config_include: 'optional',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'status.showUntrackedFiles',
  GIT_CONFIG_VALUE_0: 'normal',
});

/** For what Docker starts. @type {Readonly<Record<string, string>>} */
export const WITHOUT_PROXIES = Object.freeze(
  Object.fromEntries(PROXIES.flatMap((name) => [name, name.toUpperCase()].map((n) => [n, '']))),
);

/** For builds; {@link GO_WHERE} has the rest of Go's variables. @type {Readonly<Record<string, string | undefined>>} */
export const PLAIN_BUILD = Object.freeze({
  CGO_ENABLED: '0',
  GOFLAGS: '-buildvcs=false',
  GOENV: 'off',
  GOWORK: 'off',
  ...unset(['GOOS', 'GOARCH', 'GOAMD64', 'GOARM64', 'GOEXPERIMENT', ...GO_RUNTIME]),
  // Empty, it stands before those of a configuration.
  RUSTFLAGS: '',
  ...unset(['CARGO_ENCODED_RUSTFLAGS', 'CARGO_BUILD_TARGET', 'CARGO_INCREMENTAL']),
});

/** What Go may know from its file: where modules come from and lie, and nothing that changes a program. */
export const GO_WHERE = Object.freeze([
  ...['GOPROXY', 'GONOPROXY', 'GOPRIVATE', 'GOSUMDB', 'GONOSUMDB', 'GOINSECURE', 'GOVCS', 'GOAUTH'],
  ...['GOMODCACHE', 'GOCACHE', 'GOPATH', 'GOTOOLCHAIN'],
]);

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} [more] names
 * @returns {Record<string, undefined>} what k6 and its runtime would take from it
 */
export function unsetForK6(env, more = []) {
  return unset([...Object.keys(env).filter((name) => name.startsWith('K6_')), ...GO_RUNTIME, ...more]);
}

/** @param {readonly string[]} names @returns {Record<string, undefined>} */
function unset(names) {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
