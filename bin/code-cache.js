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
  /** What earlier processes have stored; closed between two uses. */
  #stored;
  /** The modules of this process. */
  #compiled = new Map();
  #isOutdated = false;

  constructor(file) {
    this.#file = file;
  }

  /** Compiles the module `name`, or takes its code from the cache if it has not changed. */
  compile(name, filename) {
    const bytes = fs.readFileSync(filename);
    const source = crc32(bytes);
    this.#stored ??= new StoredCode(this.#file);
    const stored = this.#stored.read(name);
    const isValid = stored?.source === source && stored.checksum === crc32(stored.code);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${bytes.toString()}\n})`,
      { filename, cachedData: isValid ? stored.code : undefined },
    );
    // V8 rejects the code of another version, or of other flags.
    const isUsed = isValid && !script.cachedDataRejected;
    if (!isUsed) this.#isOutdated = true;
    this.#compiled.set(name, { source, script, length: isUsed ? stored.code.length : 0 });
    return script;
  }

  /** Replaces the file if it lacks a module that this process uses. Another process reads the old file or the new. */
  store() {
    this.#stored?.close();
    this.#stored = undefined;
    if (!this.#isOutdated) return;
    // If it fails, the next start compiles again.
    this.#isOutdated = false;
    const folder = path.dirname(this.#file);
    const temporary = `${this.#file}.${process.pid}`;
    try {
      fs.mkdirSync(folder, { recursive: true });
      fs.accessSync(folder, fs.constants.W_OK);
      // Other processes may have written modules since.
      const others = new StoredCode(this.#file);
      fs.writeFileSync(temporary, toBytes(new Map([...others.all(), ...this.#serialize()])));
      others.close();
      fs.renameSync(temporary, this.#file);
    } catch {
      removeIfExists(temporary);
    }
  }

  *#serialize() {
    for (const [name, { source, script, length }] of this.#compiled) {
      const code = script.createCachedData();
      // V8 drops the code of functions that have not run for a while; the next start needs them.
      if (code.length > length) yield [name, { source, checksum: crc32(code), code }];
    }
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

/** A file of compiled code, of which only what is asked for is read: a command needs a part. */
class StoredCode {
  #descriptor;
  #index = new Map();
  /** Where the code begins. */
  #start = 0;

  /** Has no modules if the file is missing or damaged. */
  constructor(file) {
    try {
      this.#descriptor = fs.openSync(file);
      const length = this.#bytes(0, 4).readUInt32LE();
      this.#start = 4 + length;
      const index = JSON.parse(this.#bytes(4, this.#start).toString());
      this.#index = new Map(index.map((module) => [module.name, module]));
    } catch {
      // What is missing is compiled.
    }
  }

  /** A module's checksums and its code, which may be damaged; undefined if there is none. */
  read(name) {
    const module = this.#index.get(name);
    if (!module) return undefined;
    const { source, checksum, start, end } = module;
    return { source, checksum, code: this.#bytes(this.#start + start, this.#start + end) };
  }

  *all() {
    for (const name of this.#index.keys()) yield [name, this.read(name)];
  }

  close() {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
  }

  #bytes(start, end) {
    const bytes = Buffer.alloc(end - start);
    fs.readSync(this.#descriptor, bytes, 0, bytes.length, start);
    return bytes;
  }
}
