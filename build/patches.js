/**
 * Corrections of what goes into the package. Each must find what it corrects: when a dependency changes, the build
 * fails, and does not publish what was left out or was wrong.
 *
 * @typedef {object} Patch
 * @property {string} file the end of a file's path; `*` stands for the part of a name that changes with each version
 * @property {(code: string) => string} change
 */

/**
 * A plugin of rolldown and vite that applies a patch.
 * @param {Patch} patch
 */
export function pluginOf({ file, change }) {
  const path = file.replaceAll(".", "\\.").replaceAll("*", "[^/]+");
  return {
    name: `patch of ${file}`,
    transform: {
      filter: { id: new RegExp(`/${path}$`) },
      handler: (/** @type {string} */ code) => {
        const changed = change(code);
        if (changed === code) throw new Error(`There is nothing to patch in ${file}.`);
        return changed;
      },
    },
  };
}

/**
 * The plugins of a build, which fails if one of the patches finds no file.
 * @param {readonly Patch[]} patches
 */
export function pluginsOf(patches) {
  return patches.map((patch) => {
    const { name, transform } = pluginOf(patch);
    let isApplied = false;
    return {
      name,
      transform: {
        ...transform,
        handler: (/** @type {string} */ code) => {
          isApplied = true;
          return transform.handler(code);
        },
      },
      buildEnd: (/** @type {Error | undefined} */ error) => {
        if (!error && !isApplied) throw new Error(`The build loads no ${patch.file} to patch.`);
      },
    };
  });
}

/**
 * Replaces texts, each of which the file must contain.
 * @param {readonly (readonly [text: string | RegExp, by: string])[]} pairs
 * @returns {Patch["change"]}
 */
function replacing(...pairs) {
  return (code) =>
    pairs.reduce((before, [text, by]) => {
      const after = before.replace(text, () => by);
      if (after === before) throw new Error(`The text to patch is missing: ${text}`);
      return after;
    }, code);
}

/** Without some of the modules that a module requires. @param {readonly string[]} names */
function withoutRequired(...names) {
  return replacing(...names.map((name) => /** @type {const} */ ([`require('./${name}');\n`, ""])));
}

const NEXT_WRITE = "    const x = socket.write(chunk, fn)\n";

/**
 * The driver writes to a connection that the database has just closed, which ends the process: nothing can catch it
 * (porsager/postgres, issue 1208). With this, the statement fails like any other whose connection was lost.
 * @type {Patch}
 */
export const postgresWrites = {
  file: "postgres/src/connection.js",
  change: replacing([
    NEXT_WRITE,
    `    if (socket === null) {
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options, socket))
      return false
    }
${NEXT_WRITE}`,
  ]),
};

/** What the bundle takes from its dependencies. @type {readonly Patch[]} */
export const BUNDLE_PATCHES = [
  postgresWrites,
  // Escape characters in octal, which the bundler refuses.
  {
    file: "qrcode-terminal/lib/main.js",
    change: (code) => code.replaceAll("\\033", "\\x1b"),
  },
  // commander loads it for commands that are programs of their own. There are none.
  {
    file: "commander/lib/command.js",
    change: replacing(["require('node:child_process')", "null"]),
  },
  // string-width needs its constants for text that is not ASCII: they take 20 ms, so each use makes its own.
  {
    file: "string-width/index.js",
    change: (code) => {
      const values = new Map();
      const rest = code.replaceAll(
        /^const (\w+) = (\/.+\/[a-z]*|new Intl\.Segmenter\(\));$/gm,
        (_, name, value) => (values.set(name, value), ""),
      );
      return rest.replaceAll(/\w+/g, (word) => values.get(word) ?? word);
    },
  },
  // srvx shares the classes that it extends with other copies of itself, through a global: with that of a server under
  // test. They must be those of platform/process-globals.ts.
  {
    file: "srvx/dist/_chunks/_url.mjs",
    change: replacing([
      /function getNativeClass\(key, current\) \{.*?\n\}/s,
      "function getNativeClass(key, current) {\n\treturn current;\n}",
    ]),
  },
  // Only HTTPS needs listhen, for its certificate. It would bring a program that it downloads for tunnels, a script that
  // opens browsers, the clipboard, web sockets and questions at the terminal, which no option of ours reaches.
  {
    file: "listhen/dist/shared/listhen.*.mjs",
    change: replacing(
      ["await import('untun')", "{}"],
      ["await import('tinyclip')", "{}"],
      [/ {2}if \(listhenOptions\.ws\) \{.*?\n {2}\}\n/s, ""],
      ["await open(getURL()).catch(() => {\n    });", ""],
    ),
  },
  {
    file: "consola/dist/index.mjs",
    change: replacing([
      "import('./chunks/prompt.mjs').then((m) => m.prompt(...args))",
      "undefined",
    ]),
  },
  // Of node-forge, a certificate needs RSA, which Node generates, X.509 and SHA-256: no TLS, PKCS#7, PKCS#12 or SSH, no
  // encrypted keys and no other ciphers.
  {
    file: "node-forge/lib/index.js",
    change: (code) => code.replaceAll(/^require\('\.\/(?!pki'|sha256').*\n/gm, ""),
  },
  {
    file: "node-forge/lib/pki.js",
    change: withoutRequired("pbe", "pbkdf2", "pkcs12", "pss"),
  },
  {
    file: "node-forge/lib/x509.js",
    change: withoutRequired("aes", "des", "mgf", "pss"),
  },
  { file: "node-forge/lib/rsa.js", change: withoutRequired("prime") },
];
