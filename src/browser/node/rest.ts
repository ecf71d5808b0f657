// The few parts of Node's other modules that the sandbox uses when it runs in a tab.

export const { performance, URL, URLSearchParams } = globalThis;

export function setMaxListeners(): void {}

/** The hosts that reach it have been read from URLs, which write addresses in one way. */
export function isIP(host: string): 0 | 4 | 6 {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return 4;
  return host.includes(":") ? 6 : 0;
}

export function networkInterfaces(): Readonly<Record<string, never>> {
  return {};
}

export const types = {
  isDate: (value: unknown): boolean => Object.prototype.toString.call(value) === "[object Date]",
};

export function text(stream: ReadableStream): Promise<string> {
  return new Response(stream).text();
}

/** Every name is the simulated merchant's. */
export function lookup(
  _host: string,
  _options: unknown,
  callback: (error: null, found: readonly { address: string; family: number }[]) => void,
): void {
  callback(null, [{ address: "127.0.0.1", family: 4 }]);
}

/** Of `node:http`: a tab reaches no server. */
export function get(url: string): never {
  throw new Error(`A tab cannot reach ${url}.`);
}

/** The page's files are in the page. */
export function readFile(file: URL): Promise<never> {
  return Promise.reject(new Error(`A tab has no file ${file.href}.`));
}

export function writeFile(file: string): Promise<never> {
  return readFile(new URL(file, "file:///"));
}

export function stat(file: string): Promise<never> {
  return writeFile(file);
}

export function existsSync(): boolean {
  return true;
}

/** What the program reads of its process: in a tab it was started by nothing, and has no environment. */
export const process = { argv: [], env: {}, versions: {}, platform: "browser" };

/** Of `node:path` and `node:net`: what is read while modules load. */
export default { basename: (file: string) => file, dirname: (file: string) => file };
