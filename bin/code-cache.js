"use strict";
// Loads the program with V8's code cache, so that a start does not compile again what an earlier one has compiled.
// Node's own (module.enableCompileCache) is missing in version 20, and reads a file for each module.
const fs = require("node:fs");
const path = require("node:path");
const { Script } = require("node:vm");
const { crc32 } = require("node:zlib");

/** When a process stores what it has compiled: after its start, and again when it ends. */
const STORE_AFTER_MS = 1000;

/**
 * Loads a CommonJS module, and the modules of its folder that it requires. They must not use `import()`.
 * @param {string} main the module's file
 * @param {string} folder where the compiled code is stored. V8 trusts it: only those who may write the program's own
 *   files may be able to write there. In a folder that is read-only nothing is stored.
 */
exports.loadWithCodeCache = function loadWithCodeCache(main, folder) {
  const { env, versions } = process;
  // Code from the cache has no exact coverage. Bun is no V8.
  if (env.NODE_DISABLE_COMPILE_CACHE || env.NODE_V8_COVERAGE || versions.bun) return require(main);
  const modulesFolder = path.dirname(main);
  const modules = new Map();
  const cache = new CodeCache(path.join(folder, `node-${process.version}-${process.arch}`));
  const load = (name) => {
    const loaded = modules.get(name);
    if (loaded) return loaded.exports;
    const file = path.join(modulesFolder, name);
    const module = { exports: {} };
    modules.set(name, module);
    try {
      const run = cache.compile(name, file).runInThisContext();
      run.call(module.exports, module.exports, requireModule, module, file, modulesFolder);
    } catch (error) {
      modules.delete(name);
      throw error;
    }
    return module.exports;
  };
  const requireModule = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
  setTimeout(() => cache.store(), STORE_AFTER_MS).unref();
  process.once("exit", () => cache.store());
  return load(path.basename(main));
};

/**
 * The compiled code of modules, in one file: the length of an index, the index in JSON, and the code. The index has
 * checksums of each module's source and code, since V8 compares only the length of a source, and damaged code crashes
 * the process.
 */
class CodeCache {
  #file;
  #stored;
  /** The modules of this process. */
  #compiled = new Map();
  #isOutdated = false;

  constructor(file) {
    this.#file = file;
    this.#stored = readFile(file);
  }

  /** Compiles the module `name`, or takes its code from the cache if it has not changed. */
  compile(name, filename) {
    const bytes = fs.readFileSync(filename);
    const source = crc32(bytes);
    const stored = this.#stored.get(name);
    const isValid = stored?.source === source && stored.checksum === crc32(stored.code);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${bytes.toString()}\n})`,
      { filename, cachedData: isValid ? stored.code : undefined },
    );
    // V8 rejects the code of another version, or of other flags.
    const isUsed = isValid && !script.cachedDataRejected;
    if (!isUsed) this.#isOutdated = true;
    this.#compiled.set(name, { source, script, code: isUsed ? stored.code : Buffer.alloc(0) });
    return script;
  }

  /** Replaces the file if it lacks a module that this process uses. Another process reads the old file or the new. */
  store() {
    if (!this.#isOutdated) return;
    // If it fails, the next start compiles again.
    this.#isOutdated = false;
    const folder = path.dirname(this.#file);
    const temporary = `${this.#file}.${process.pid}`;
    try {
      fs.mkdirSync(folder, { recursive: true });
      fs.accessSync(folder, fs.constants.W_OK);
      // Other processes may have written modules since.
      fs.writeFileSync(
        temporary,
        toBytes(new Map([...readFile(this.#file), ...this.#serialize()])),
      );
      fs.renameSync(temporary, this.#file);
    } catch {
      removeIfExists(temporary);
    }
  }

  #serialize() {
    for (const module of this.#compiled.values()) {
      const code = module.script.createCachedData();
      // V8 drops the code of functions that have not run for a while; the next start needs them.
      if (code.length > module.code.length) module.code = code;
      module.checksum = crc32(module.code);
    }
    return this.#compiled;
  }
}

function toBytes(modules) {
  let end = 0;
  const index = [...modules].map(([name, { source, checksum, code }]) => {
    const start = end;
    end += code.length;
    return { name, source, checksum, start, end };
  });
  const text = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, ...[...modules.values()].map(({ code }) => code)]);
}

function removeIfExists(file) {
  try {
    fs.unlinkSync(file);
  } catch {
    // It was not written.
  }
}

/** The modules of a file by their names; none if it is missing or damaged. */
function readFile(file) {
  try {
    const bytes = fs.readFileSync(file);
    const indexEnd = 4 + bytes.readUInt32LE();
    const codes = bytes.subarray(indexEnd);
    return new Map(
      JSON.parse(bytes.toString("utf8", 4, indexEnd)).map(
        ({ name, source, checksum, start, end }) => [
          name,
          { source, checksum, code: codes.subarray(start, end) },
        ],
      ),
    );
  } catch {
    return new Map();
  }
}
