import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { type PageModules, Tab } from "./page.ts";
import { replaceTab, sandbox, shop, tab, useTab } from "./tab.ts";
import { say } from "../../src/text/message.ts";

useTab();

describe("the page's language", () => {
  it.each([
    ["pt-BR", "pt", "pt-BR", "pt-BR"],
    ["PT", "pt", "pt-BR", "pt-BR"],
    ["en-GB", "en", "en", "en"],
    ["ptx", "en", "en", "en"],
  ])("is the system's: %s", async (system, language, locale, lang) => {
    tab.navigatorLanguage = system;
    const page = await tab.open();
    expect(page.language.language.value).toBe(language);
    expect(page.language.locale()).toBe(locale);
    expect(tab.documentElement.lang).toBe(lang);
    expect(page.language.t(say`Close`)).toBe(language === "pt" ? "Fechar" : "Close");
  });

  it("is the user's choice, which outlives the page; the sandbox's texts follow", async () => {
    const page = await tab.open();
    page.language.chooseLanguage("pt");
    expect(tab.documentElement.lang).toBe("pt-BR");
    await page.sandbox.loadRules();
    const inPortuguese = [...page.sandbox.rules.value.values()];
    const again = await tab.open();
    expect(again.language.language.value).toBe("pt");
    again.language.chooseLanguage("en");
    await again.sandbox.loadRules();
    expect([...again.sandbox.rules.value.values()]).not.toEqual(inPortuguese);
    tab.navigatorLanguage = "pt-BR";
    expect((await tab.open()).language.language.value).toBe("en");
    tab.navigatorLanguage = "en";
    tab.local.setItem("pix-sandbox-language", "fr");
    expect((await tab.open()).language.language.value).toBe("en");
  });

  it("shows no texts that were loaded in another language", async () => {
    const page = await tab.open();
    const loading = [page.sandbox.loadRules(), page.sandbox.loadAssumptions()];
    page.language.chooseLanguage("pt");
    await Promise.all(loading);
    expect([page.sandbox.rules.value.size, page.sandbox.assumptions.value]).toEqual([0, []]);
  });
});

describe("the page's address", () => {
  const goTo = (page: PageModules, place: Parameters<PageModules["navigation"]["go"]>[0]): void => {
    page.navigation.go(place);
    tab.report("hashchange");
  };

  it("names what is shown", async () => {
    const page = await tab.open("#/payins/1?status=waiting");
    const { navigation } = page;
    expect(navigation.place.value).toEqual({ pane: "payins", id: "1", status: "waiting" });
    goTo(page, { pane: "requests" });
    expect(navigation.place.value).toEqual({ pane: "requests" });
    navigation.filter({ q: "maria" });
    expect([navigation.place.value, tab.hash]).toEqual([
      { pane: "requests", q: "maria" },
      "#/requests?q=maria",
    ]);
    navigation.filter({ status: "500" });
    expect(tab.hash).toBe("#/requests?status=500&q=maria");
  });

  it("is that of the list again when the record is closed", async () => {
    const page = await tab.open("#/payins?q=maria");
    goTo(page, { ...page.navigation.place.value, id: "1" });
    page.navigation.closeRecord();
    tab.report("hashchange");
    expect(tab.hash).toBe("#/payins?q=maria");
    // Without an open record there is nothing to close.
    page.navigation.closeRecord();
    expect(tab.hash).toBe("#/payins?q=maria");
  });

  it("is that of the pane from which the record was opened", async () => {
    const page = await tab.open("#/activity?q=x");
    goTo(page, { pane: "payins", id: "1" });
    goTo(page, { pane: "payins", id: "2" });
    page.navigation.closeRecord();
    tab.report("hashchange");
    expect(tab.hash).toBe("#/activity?q=x");
    goTo(page, { pane: "payins" });
    goTo(page, { pane: "payins", id: "1" });
    page.navigation.closeRecord();
    expect(tab.hash).toBe("#/payins");
  });
});

describe("an action of the page", () => {
  it("is done, and loads what it changes", async () => {
    const { actions, sandbox: state } = await tab.open();
    await actions.run({
      label: "Save",
      method: "PUT",
      path: "/snapshots/one",
      command: ["snapshot", "save", "one"],
      onDone: state.loadSnapshots,
    });
    expect(state.snapshots.value.map(({ name }) => name)).toEqual(["one"]);
    expect(actions.failure.value).toBeUndefined();
  });

  it("asks its question first", async () => {
    const { actions } = await tab.open();
    await shop.payins.create();
    const reset = {
      label: "Reset",
      method: "POST",
      path: "/reset",
      command: ["reset"],
      question: "Delete all?",
    } as const;
    await actions.run(reset);
    expect([actions.asked.value, (await sandbox.payins.list()).length]).toEqual([reset, 1]);
    await actions.run(reset);
    expect([actions.asked.value, (await sandbox.payins.list()).length]).toEqual([undefined, 0]);
  });

  it("shows why it failed, until the next one", async () => {
    const { actions } = await tab.open();
    let isDone = false;
    const restore = {
      label: "Restore",
      method: "POST",
      path: "/snapshots/none/restore",
      command: undefined,
      onDone: async () => (isDone = true),
    } as const;
    await actions.run(restore);
    expect(actions.failure.value).toMatch(/^Restore: .*none/);
    expect(isDone).toBe(false);
    await actions.run({
      ...restore,
      path: "/reset",
      onDone: () => Promise.reject(new Error("lost")),
    });
    expect(actions.failure.value).toBeUndefined();
  });

  it("has a command and a curl call that do the same", async () => {
    const page = await tab.open();
    page.sandbox.about.value = { program: "node ../bin/pix-sandbox.js" } as never;
    const { actions } = page;
    const { url } = sandbox;
    const pay = {
      label: "Pay",
      method: "POST",
      path: "/payins/1/pay",
      command: undefined,
    } as const;
    expect(actions.commandLine(["payin", "pay", "it's"])).toBe(
      `node ../bin/pix-sandbox.js payin pay 'it'\\''s' --url ${url}`,
    );
    expect(actions.commandLine(["clock"], "my shop")).toBe(
      `node ../bin/pix-sandbox.js clock --token 'my shop' --url ${url}`,
    );
    expect(actions.completeCommand("npx pix-sandbox requests")).toBe(
      `npx pix-sandbox requests --url ${url}`,
    );
    expect(actions.curlLine(pay)).toBe(`curl -X POST ${url}/_sandbox/payins/1/pay`);
    page.control.chooseScope("shop");
    expect(actions.commandLine(["clock"])).toBe(
      `node ../bin/pix-sandbox.js clock --token shop --url ${url}`,
    );
    expect(actions.curlLine({ ...pay, body: { a: 1 } })).toBe(
      `curl -X POST ${url}/_sandbox/payins/1/pay -H 'x-api-token: shop' -H 'content-type: application/json' -d '{"a":1}'`,
    );
    expect(actions.curlLine({ ...pay, integration: null })).not.toContain("x-api-token");

    tab.url = "http://127.0.0.1:7490";
    const atDefault = await tab.open();
    expect(atDefault.actions.commandLine(["clock"], null)).toBe("npx --no pix-sandbox clock");
  });

  it("has a curl call with the control token's variable, if the sandbox is protected", async () => {
    await using guarded = await startSandbox({ port: 0, controlToken: "secret-token" });
    replaceTab(new Tab(guarded));
    const page = await tab.open();
    page.sandbox.about.value = {
      ...(page.sandbox.about.value as object),
      protected: true,
    } as never;
    expect(
      page.actions.curlLine({ label: "", method: "POST", path: "/reset", command: undefined }),
    ).toBe(
      `curl -X POST ${guarded.url}/_sandbox/reset -H "authorization: Bearer $PIX_SANDBOX_CONTROL_TOKEN"`,
    );
  });
});

describe("a webhook's transaction on the page", () => {
  it.each([
    ["payin.paid", "{}", "payins"],
    ["payout.completed", "{}", "payouts"],
    ["payment.received", '{"data":{"receiver_cpf":"1"}}', "payouts"],
    ["payment.received", '{"data":{"buyer_cpf":"1"}}', "payins"],
    ["payin.paid", '{"data":{"receiver_cpf":"1"}}', "payins"],
  ])("of %s with %s is among the %s", async (type, body, pane) => {
    const { transactions } = await tab.open();
    expect(transactions.transactionPlace({ type, body, transaction_id: "1" } as never)).toEqual({
      pane,
      id: "1",
    });
  });
});

describe("the keys of the page", () => {
  interface Pressed {
    readonly on?: string;
    readonly repeat?: boolean;
    readonly ctrlKey?: boolean;
    readonly metaKey?: boolean;
    readonly altKey?: boolean;
    readonly defaultPrevented?: boolean;
  }

  /** Presses a key on an element. @returns what has happened, and whether the key does nothing else */
  const press = (
    done: string[],
    key: string,
    { on = "div", ...rest }: Pressed = {},
  ): readonly string[] => {
    const target = {
      matches: (selector: string) => selector.split(", ").includes(on),
      blur: () => void done.push("blur"),
    };
    tab.report("keydown", { key, target, preventDefault: () => void done.push("own"), ...rest });
    return done.splice(0);
  };

  async function openWithKeys(hash?: string) {
    const page = await tab.open(hash);
    const done: string[] = [];
    page.keys.useKeys();
    page.keys.listKeys.current = {
      move: (rows) => void done.push(`move ${rows}`),
      focus: () => void done.push("focus"),
    };
    return { page, done };
  }

  it("move the focus, find, and list themselves", async () => {
    const { page, done } = await openWithKeys();
    tab.elements.set("#search", { focus: () => void done.push("search") });
    expect(press(done, "j")).toEqual(["own", "move 1"]);
    expect(press(done, "k")).toEqual(["own", "move -1"]);
    expect(press(done, "k", { repeat: true })).toEqual(["own", "move -1"]);
    expect(press(done, "/")).toEqual(["own", "search"]);
    expect(page.keys.isHelpOpen.value).toBe(false);
    expect(press(done, "?")).toEqual(["own"]);
    expect(page.keys.isHelpOpen.value).toBe(true);
    expect(press(done, "x")).toEqual([]);
  });

  it("act on the open record, else on the focused row, once a press", async () => {
    const { page, done } = await openWithKeys();
    const { recordKeys } = page.keys;
    recordKeys.row = () => ({ p: () => void done.push("pay row") });
    expect(press(done, "p")).toEqual(["own", "pay row"]);
    page.keys.useRecordKeys({ p: () => void done.push("pay") });
    expect(press(done, "p")).toEqual(["own", "pay"]);
    expect(press(done, "p", { repeat: true })).toEqual([]);
    expect(press(done, "toString")).toEqual([]);
  });

  it.each([
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
    { defaultPrevented: true },
    { on: "input" },
    { on: "select" },
    { on: "textarea" },
  ])("are the browser's own with %o", async (pressed) => {
    const { done } = await openWithKeys();
    expect(press(done, "j", pressed)).toEqual([]);
  });

  it("are a dialog's own while it is open", async () => {
    const { done } = await openWithKeys("#/payins/1");
    tab.elements.set("dialog[open], :popover-open", {});
    expect([press(done, "j"), press(done, "Escape")]).toEqual([[], []]);
    expect(tab.hash).toBe("#/payins/1");
  });

  it("leave a field with Escape, else close the record, and return to its row", async () => {
    const { page, done } = await openWithKeys("#/payins/1");
    expect(press(done, "Escape", { on: "input" })).toEqual(["blur", "focus"]);
    expect([tab.hash, page.keys.focusWanted.current]).toEqual(["#/payins/1", false]);
    expect(press(done, "Escape")).toEqual([]);
    tab.report("hashchange");
    expect([tab.hash, page.keys.focusWanted.current]).toEqual(["#/payins", true]);
    expect(press(done, "Escape")).toEqual(["focus"]);
  });
});
