import { describe, expect, it } from "vitest";
import { UnusableOptionError } from "../../../src/server/options/errors.ts";
import { refuseOpenControl } from "../../../src/server/options/open-control.ts";
import { startSandbox } from "../../../src/server/start.ts";
import { validateOptions } from "../../../src/server/options/validate-options.ts";

const stateFile = "postgres://maria:s3cret@127.0.0.1:1/shop";

describe("a sandbox with its state in a database", () => {
  it.each(["0.0.0.0", "::", "192.0.2.1", "2001:db8::1"])(
    "does not start without a control token on %s",
    async (host) => {
      const refused = startSandbox({ stateFile, host });
      await expect(refused).rejects.toThrow(UnusableOptionError);
      await expect(refused).rejects.toThrow(TypeError);
      await expect(refused).rejects.toThrow(
        /^The option controlToken: .* set openControl to true\.$/,
      );
      await expect(refused).rejects.not.toThrow("s3cret");
    },
  );

  it.each(["127.0.0.1", "127.1.2.3", "::1", "localhost", undefined])(
    "needs none on %s",
    async (host) => {
      await expect(
        refuseOpenControl(validateOptions({ stateFile, host })),
      ).resolves.toBeUndefined();
    },
  );

  it("needs none with openControl, nor a name that can be resolved", async () => {
    const host = "0.0.0.0";
    await expect(
      refuseOpenControl(validateOptions({ stateFile, host, openControl: true })),
    ).resolves.toBeUndefined();
    await expect(
      refuseOpenControl(validateOptions({ stateFile, host, controlToken: "a" })),
    ).resolves.toBeUndefined();
    const unknown = "no-such-host.invalid";
    await expect(
      refuseOpenControl(validateOptions({ stateFile, host: unknown })),
    ).rejects.toMatchObject({
      syscall: "getaddrinfo",
    });
  });
});

it("a sandbox with a state file needs no control token", async () => {
  for (const openControl of [undefined, true, false])
    await expect(
      refuseOpenControl(validateOptions({ stateFile: "state.json", host: "0.0.0.0", openControl })),
    ).resolves.toBeUndefined();
  await expect(refuseOpenControl(validateOptions({ host: "0.0.0.0" }))).resolves.toBeUndefined();
});
