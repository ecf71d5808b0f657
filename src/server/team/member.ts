import type { Role, Snapshots, State, Store } from "../../core/state/ports.ts";
import type { ListenOptions } from "../../http/faces/listen.ts";
import { standbyListenerOf } from "../../http/faces/standby.ts";
import { pause } from "../../platform/pause.ts";
import { clearTimeout, setTimeout } from "../../platform/real-time.ts";
import { reasonOf, StateFileError } from "../../store/errors.ts";
import { SandboxClosedError } from "../../http/calls/refusals.ts";
import { openJournaledStore } from "../../store/journaled/journaled-store.ts";
import type { Leadership } from "../../store/postgres/leadership.ts";
import {
  BehindError,
  missingLines,
  type PostgresJournal,
} from "../../store/postgres/postgres-journal.ts";
import { openSharedState, type SharedState } from "../../store/postgres/shared-state.ts";
import { applyEntry, readAll } from "../../store/journaled/read-all.ts";
import { assembleSandbox, type Start } from "../start-up/assemble.ts";
import { networkUrls } from "../activity/about.ts";
import { refuseOpenControl } from "../options/open-control.ts";
import type { SandboxOptions, Settings } from "../options/options.ts";
import type { Report } from "../activity/report.ts";
import type { Sandbox } from "../activity/sandbox.ts";
import { acceptedHosts, listenOptions, locationBaseOf } from "../start-up/startup.ts";
import { RealTimer } from "../start-up/timer.ts";
import { validateOptions } from "../options/validate-options.ts";
import { Door } from "./door.ts";
import { say } from "../../text/message.ts";
import { LANGUAGE_NAMES, loadLanguages } from "../../text/languages.ts";

/** How often a standby reads the journal without a hint, in milliseconds. */
const READ_EVERY_MS = 250;
/** Before another try, after the database or the leadership has failed. */
const RETRY_MS = 250;

/** How long a stop waits for the database. */
const GRACE_MS = 3000;

/** The options that only a process of a team reads. */
export type MemberSettings = Pick<Settings, "advertise" | "standbyForward">;

/** One of several processes that share a state: it leads, or stands by to lead. */
export interface Member {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly role: Role;
  readonly leaderAddress: string | null;
  /** Resolves when it is known whether this process leads at first: with its sandbox, or undefined for a standby. */
  first(): Promise<Sandbox | undefined>;
  /** Resolves when this process leads. Closing the sandbox closes the member. */
  leading(): Promise<Sandbox>;
  /** Calls `listener` with the sandbox when this process leads, and with undefined when it does so no more. */
  onRole(listener: (sandbox: Sandbox | undefined) => void): void;
  /** Rejects if this process can neither lead nor stand by any more, such as with a damaged state; else it never settles. */
  failed(): Promise<never>;
  close(): Promise<void>;
}

/**
 * Starts a process of a team, and listens.
 * @throws the errors of `startSandbox`
 */
export async function startMember(given: SandboxOptions, report: Report): Promise<Member> {
  await loadLanguages();
  const settings = validateOptions(given);
  const locationBase = locationBaseOf(settings.publicUrl, report);
  await refuseOpenControl(settings);
  const listening = await listenOptions(settings);
  const member = new TeamMember({ settings, locationBase, report });
  await member.open(listening);
  return member;
}

class TeamMember implements Member {
  readonly #start: Start;
  #door!: Door;
  #shared!: SharedState;
  #leadership!: Leadership;
  #sandbox: Sandbox | undefined;
  readonly #listeners = new Set<(sandbox: Sandbox | undefined) => void>();
  /** Each checks whether what it waits for is the case. */
  readonly #looks = new Set<() => void>();
  #wake: () => void = () => undefined;
  /** Ends the leadership that is under way. */
  #endLeading: () => void = () => undefined;
  /** The journal that is being followed or written. */
  #journal: PostgresJournal | undefined;
  /** Whether a stop has waited for the database long enough. */
  #isCut = false;
  #isClosing = false;
  #failure: { readonly error: unknown } | undefined;
  #living: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(start: Start) {
    this.#start = start;
  }

  async open(listening: ListenOptions): Promise<void> {
    const { settings, report } = this.#start;
    const { assumptions, corsOrigins, stateFile } = settings;
    const { standbyForward }: MemberSettings = settings;
    this.#shared = await openSharedState(stateFile ?? "", {
      address: () => this.#address(),
      onLead: () => this.#wake(),
      onLost: () => this.#lost(),
      onSeen: () => this.#look(),
      report,
    });
    this.#leadership = this.#shared.leadership;
    const standby = standbyListenerOf({
      leaderAddress: () => this.leaderAddress,
      isForwarding: standbyForward,
      origins: { allowedHosts: acceptedHosts(settings), corsOrigins },
      language: LANGUAGE_NAMES.find((one) => one === assumptions["error.language"]) ?? "en",
    });
    this.#door = await Door.open(standby, listening);
    this.#leadership.start();
    this.#living = this.#live();
  }

  get url(): string {
    return this.#door.listening.url;
  }

  get port(): number {
    return this.#door.listening.port;
  }

  get role(): Role {
    return this.#sandbox && this.#leadership.isHeld ? "leader" : "standby";
  }

  get leaderAddress(): string | null {
    const { leaderAddress, hasDouble } = this.#leadership;
    return leaderAddress === this.#address() && !hasDouble ? null : leaderAddress;
  }

  async first(): Promise<Sandbox | undefined> {
    await this.#until(() => this.#sandbox !== undefined || this.leaderAddress !== null);
    return this.#sandbox;
  }

  async leading(): Promise<Sandbox> {
    await this.#until(() => this.#sandbox !== undefined);
    if (!this.#sandbox) throw new SandboxClosedError("The sandbox was closed before it led.");
    return this.#asWhole(this.#sandbox);
  }

  /**
   * Resolves when something is the case, or the member is closed.
   * @throws what prevents this process from leading
   */
  #until(isCase: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!this.#failure && !this.#isClosing && !isCase()) return;
        this.#looks.delete(look);
        if (this.#failure) reject(this.#failure.error);
        else resolve();
      };
      this.#looks.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of this.#looks) look();
  }

  onRole(listener: (sandbox: Sandbox | undefined) => void): void {
    this.#listeners.add(listener);
  }

  async failed(): Promise<never> {
    await this.#until(() => false);
    return new Promise(() => undefined);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    this.#look();
    this.#endLeading();
    this.#wake();
    // While the database cannot be reached, what was not stored so far never will be.
    const cut = setTimeout(() => {
      this.#isCut = true;
      this.#journal?.abandon();
    }, GRACE_MS);
    await this.#living;
    clearTimeout(cut);
    await this.#leadership.close();
    await this.#door.listening.close(0);
  }

  /** Stands by, leads, and stands by again, until it is closed. */
  async #live(): Promise<void> {
    while (!this.#isClosing && !this.#failure) {
      const journal = this.#shared.openJournal({
        isOver: () => this.#isOver,
        onTakenOver: () => this.#leadership.lose(),
        onHint: () => this.#wake(),
      });
      this.#journal = journal;
      try {
        const state = await this.#follow(journal);
        if (state) await this.#lead(journal, state);
      } catch (error) {
        this.#leadership.lose();
        // A damaged state, or options that cannot apply to it: trying again would not help.
        if (isFinal(error)) this.#fail(error);
        else this.#report(error);
        await pause(RETRY_MS);
      } finally {
        await journal.close(undefined);
      }
    }
  }

  /**
   * Reads everything, and then what others add, until this process leads.
   * @returns undefined when the member is closed
   */
  async #follow(journal: PostgresJournal): Promise<State | undefined> {
    let state: State | undefined;
    /** The compacted state that no line followed. */
    let lastBase: number | undefined;
    for (;;) {
      if (this.#isClosing) return undefined;
      try {
        state ??= await this.#readAll(journal);
        await journal.read(state.sequence, applyTo(state));
        if (this.#leadership.isLeader) return state;
        this.#leadership.stand();
        // The lease may have been taken in the same turn.
        await this.#hint();
      } catch (error) {
        if (isFinal(error)) throw error;
        if (!(error instanceof BehindError)) {
          await pause(RETRY_MS);
          continue;
        }
        // Only a later compacted state explains it: with the same one, reading again would never end.
        const { compactedTo } = journal.size;
        if (compactedTo === lastBase) throw missingLines(compactedTo);
        lastBase = compactedTo;
        state = undefined;
      }
    }
  }

  async #readAll(journal: PostgresJournal): Promise<State> {
    return readAll(journal, this.#start.settings.keepDeliveries);
  }

  async #lead(journal: PostgresJournal, state: State): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#endLeading = resolve;
    });
    const { settings, report } = this.#start;
    const store = await openJournaledStore(
      journal,
      {
        timer: new RealTimer(),
        report: (text) => {
          if (!this.#isOver) report(text);
        },
        keepDeliveries: settings.keepDeliveries,
      },
      state,
    );
    this.#leadership.onRegained = () => store.onRecovered?.();
    const sandbox = await this.#assemble(store, journal.snapshots());
    if (this.#leadership.isLeader && !this.#isClosing) {
      this.#sandbox = sandbox;
      this.#tell();
      await ended;
      this.#sandbox = undefined;
    }
    await sandbox.close();
    if (!this.#isClosing) this.#tell();
  }

  async #assemble(store: Store, snapshots: Snapshots): Promise<Sandbox> {
    const place = {
      attach: (handler: Parameters<Door["lead"]>[0]) => Promise.resolve(this.#door.lead(handler)),
      lease: this.#leadership,
    };
    try {
      return await assembleSandbox({ store, snapshots }, place, this.#start);
    } catch (error) {
      this.#leadership.lose();
      await store.close();
      throw error;
    }
  }

  /** Whether nothing of this process is stored any more. */
  get #isOver(): boolean {
    return this.#isCut || !this.#leadership.isLeader;
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#look();
  }

  #lost(): void {
    // Ends calls that a broken network would leave under way.
    this.#journal?.abandon();
    this.#endLeading();
    this.#wake();
  }

  #hint(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, READ_EVERY_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #tell(): void {
    this.#look();
    for (const listener of this.#listeners) listener(this.#sandbox);
  }

  #report(error: unknown): void {
    const reason = reasonOf(error);
    this.#start.report(say`this process stands by, since it could not lead: ${reason}`);
  }

  /** Where other processes reach this one. */
  #address(): string {
    const { advertise }: MemberSettings = this.#start.settings;
    return advertise?.replace(/\/+$/, "") ?? networkUrls(this.#door.listening)[0] ?? this.url;
  }

  #asWhole(sandbox: Sandbox): Sandbox {
    const close = (): Promise<void> => this.close();
    return { ...sandbox, close, [Symbol.asyncDispose]: close };
  }
}

function applyTo(state: State): Parameters<PostgresJournal["read"]>[1] {
  return (entry) => applyEntry(state, entry);
}

/** Whether an error stays whatever is tried again. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof StateFileError || error instanceof TypeError || error instanceof RangeError
  );
}
