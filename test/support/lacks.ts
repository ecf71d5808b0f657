import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";

/** What tests need beside Node.js, and a command that succeeds with it. `.ci/run` installs what a Debian lacks. */
const TOOLS = {
  curl: "curl --version",
  openssl: "openssl version",
  perl: "perl --version",
  pgbouncer: "pgbouncer --version",
  postgresql: "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb",
  python3: "python3 -c 'import pty'",
  strace: "strace -f -o /dev/null -e inject=unlink:error=EACCES:when=1 true",
};

/** What may be missing in CI too: there, no other test of this operating system may be skipped. */
const MAY_BE_MISSING = {
  // Other ways to run the tests.
  "the long form": '[ "$PIX_TEST_LONG" != short ]',
  root: '[ "$(id -u)" = 0 ]',
  // What a container may not do.
  network: () =>
    Object.values(networkInterfaces()).some((each) => each?.some(({ internal }) => !internal)),
  namespaces: "unshare --mount --uts --pid --fork --kill-child true",
  tmpfs: "unshare --mount mount -t tmpfs tmpfs /mnt",
  // Languages and frameworks of examples.
  pytest: "python3 -m pytest --version",
  phpunit: "phpunit --version",
  php: "php -r 'exit(PHP_VERSION_ID < 80100 ? 1 : 0);'",
  ruby: "ruby -r webrick -r minitest -e 1",
  go: "go version",
  java: "javac --version",
  dotnet: "dotnet --version | grep -q '^[1-9][0-9]'",
  Flask: pythonWith("flask"),
  FastAPI: pythonWith("fastapi, uvicorn"),
  Django: pythonWith("django"),
  Rails: "ruby -e 'require \"action_controller/railtie\"' && rackup -h",
  // What builds or changes a whole system.
  debootstrap: "debootstrap --version",
  faketime: "ls /usr/lib/*/faketime/libfaketime.so.1",
  // Package managers whose programs npm could not install.
  pnpm: "test/long/node_modules/.bin/pnpm --version",
  yarn: "test/long/node_modules/.bin/yarn --version",
  bunx: "test/long/node_modules/.bin/bunx --version",
  deno: "test/long/node_modules/.bin/deno --version",
};

const NEEDS = { ...TOOLS, ...MAY_BE_MISSING };
export type Need = keyof typeof NEEDS;
const found = new Map<Need, boolean>();

/**
 * Whether the machine lacks something, so that tests which need it are skipped.
 * @throws Error in CI, if it may not be missing there
 */
export function lacks(...needs: readonly Need[]): boolean {
  const missing = needs.filter((need) => !isThere(need));
  const wrong = missing.filter((need) => !Object.hasOwn(MAY_BE_MISSING, need));
  if (process.env["CI"] && process.platform === "linux" && wrong.length > 0)
    throw new Error(`Install ${wrong.join(", ")}: in CI, tests that need it must not be skipped.`);
  return missing.length > 0;
}

function isThere(need: Need): boolean {
  const known = found.get(need);
  if (known !== undefined) return known;
  const check = NEEDS[need];
  const is =
    typeof check === "function"
      ? check()
      : spawnSync("sh", ["-c", check], { stdio: "ignore" }).status === 0;
  found.set(need, is);
  return is;
}

/** The packages of the system belong to its own Python. */
function pythonWith(modules: string): string {
  return `python3 -c 'import ${modules}' || /usr/bin/python3 -c 'import ${modules}'`;
}
