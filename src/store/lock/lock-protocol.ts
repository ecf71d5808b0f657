/** What a process puts beside a state file that it wants, so that the others that want it find it. */
export interface Claim {
  readonly address: string;
  /** Whether the others can find it: a process that held the file until now may have removed it. */
  isVisible(): Promise<boolean>;
  /** Tells all that ask, now and later, that this process holds the file. @returns false if the claim is gone. */
  hold(): Promise<boolean>;
  /** Withdraws it; nothing is left of it. */
  close(): Promise<void>;
}

/** The process that holds a file, as far as it is known. */
export interface Holder {
  /** The process id and the host name, if the holder answered. */
  readonly pid?: string;
  readonly host?: string;
  /** The claim, if it is not known whether there is still a process behind it. */
  readonly doubtful?: string;
}

export interface HolderQuery {
  /** Whether there is a process behind the claim. */
  readonly isAlive: Promise<boolean>;
  /** Resolves once the process has decided: undefined if it does not hold the file. */
  readonly holder: Promise<Holder | undefined>;
}

/** The place where the processes that want one file find each other. */
export interface LockEncounter {
  /** Makes a claim for this process. @returns undefined if there is a single address and it is in use. */
  claim(): Promise<Claim | undefined>;
  /** The addresses of all other claims, in ascending order. */
  others(mine: string | undefined): Promise<readonly string[]>;
  ask(address: string): HolderQuery;
  /** Removes the claim of a process that has died. */
  remove(address: string): Promise<void>;
}

/** How often a process makes a new claim after another one went ahead of it. */
const MAX_TRIES = 20;

/**
 * Competes for a file.
 *
 * A process makes its claim visible before it looks for the claims of others. So of any two processes at
 * least one sees the other: never do both believe that they are alone.
 * @returns this process's claim if it holds the file now, otherwise the holder.
 */
export async function acquire(
  meeting: LockEncounter,
): Promise<Claim | { readonly holder: Holder }> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const claim = await meeting.claim();
    let verdict: Verdict = "again";
    try {
      verdict = await compete(meeting, claim);
    } finally {
      if (verdict !== "mine") await claim?.close();
    }
    if (verdict === "mine" && claim) return claim;
    if (typeof verdict === "object") return verdict;
  }
  return { holder: {} };
}

type Verdict = "mine" | "again" | { readonly holder: Holder };

/**
 * Of two processes that compete, the one whose address is lower goes on. The other withdraws its claim and
 * waits for the decision. A process that looked before the lower one made its claim may hold the file
 * already, so the lower one waits for the decision of the higher one too.
 */
async function compete(meeting: LockEncounter, claim: Claim | undefined): Promise<Verdict> {
  const dead: string[] = [];
  for (const address of await meeting.others(claim?.address)) {
    const other = meeting.ask(address);
    if (!(await other.isAlive)) {
      dead.push(address);
      continue;
    }
    const isLower = claim !== undefined && address < claim.address;
    if (isLower) await claim.close();
    const holder = await other.holder;
    if (holder) return { holder };
    if (isLower) return "again";
  }
  // A process that held the file until now may have taken this claim for a dead one, and removed it.
  if (!(await claim?.isVisible())) return "again";
  // Only the process that holds the file removes what dead ones have left, and before it releases the file:
  // a claim that was just made looks dead for a moment. A process that was taken for dead and is not finds
  // out by the removal, so that has to come before this one reads the state.
  for (const address of dead) await meeting.remove(address);
  return (await claim?.hold()) ? "mine" : "again";
}

/** Finds out whether a process holds a file, without making a claim. */
export async function findHolder(meeting: LockEncounter): Promise<Holder | undefined> {
  for (const address of await meeting.others(undefined)) {
    const holder = await meeting.ask(address).holder;
    if (holder) return holder;
  }
  return undefined;
}
