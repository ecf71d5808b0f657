// Formulas for Homebrew and Scoop from the checksums of a release: `node release/formulas.js VERSION BASE_URL SHA256SUMS FOLDER`.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const [version = "", base = "", sums = "", folder = "."] = process.argv.slice(2);
const { description, license } = JSON.parse(readFileSync("package.json", "utf8"));
const hashes = new Map(
  readFileSync(sums, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(/ [ *]/).toReversed()),
);
const hashOf = (file) => {
  const hash = hashes.get(file);
  if (!/^[0-9a-f]{64}$/.test(hash ?? "")) throw new Error(`${sums} has no checksum of ${file}.`);
  return hash;
};
const source = (file) => `url "${base}/${file}"
      sha256 "${hashOf(file)}"`;

mkdirSync(folder, { recursive: true });
writeFileSync(
  path.join(folder, "pix-sandbox.rb"),
  `class PixSandbox < Formula
  desc "Pix instant-payment gateway that runs on your own machine"
  homepage "${new URL(base).origin}"
  version "${version}"
  license "${license}"

  on_macos do
    on_arm do
      ${source("pix-sandbox-darwin-arm64")}
    end
    on_intel do
      ${source("pix-sandbox-darwin-x64")}
    end
  end
  on_linux do
    on_arm do
      ${source("pix-sandbox-linux-arm64")}
    end
    on_intel do
      ${source("pix-sandbox-linux-x64")}
    end
  end

  def install
    bin.install Dir["pix-sandbox-*"].first => "pix-sandbox"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pix-sandbox --version")
  end
end
`,
);
const windows = "pix-sandbox-win32-x64.exe";
const scoop = {
  version,
  description,
  homepage: new URL(base).origin,
  license,
  architecture: { "64bit": { url: `${base}/${windows}#/pix-sandbox.exe`, hash: hashOf(windows) } },
  bin: "pix-sandbox.exe",
};
writeFileSync(path.join(folder, "pix-sandbox.json"), `${JSON.stringify(scoop, null, 4)}\n`);
