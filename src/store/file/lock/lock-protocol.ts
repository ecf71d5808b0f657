/** Shows other processes that a process wants a state file or holds it. */
export interface Claim {
  readonly address: string;
  /** Whether other processes can see it: the previous holder may have removed it. */
  isVisible(): Promise<boolean>;
  /** Announces that this process holds the file. @returns false if the claim was removed. */
  hold(): Promise<boolean>;
  close(): Promise<void>;
}

/** The process that holds a file, as far as known. */
export interface Holder {
  /** The process id and the host name, if the holder responded. */
  readonly pid?: string;
  readonly host?: string;
  /** The claim, if it is unknown whether its process is still alive. */
  readonly doubtful?: string;
}

export interface HolderQuery {
  /** Whether the process of the claim is alive. */
  readonly isAlive: Promise<boolean>;
  /** Resolves when it is known whether the process holds the file; undefined if it does not. */
  readonly holder: Promise<Holder | undefined>;
}

/** Where the processes that want a file find each other. */
export interface LockEncounter {
  /** Creates a claim for this process. @returns undefined if there is only one address and it is in use. */
  claim(): Promise<Claim | undefined>;
  /** The addresses of all other claims, in ascending order. */
  others(mine: string | undefined): Promise<readonly string[]>;
  ask(address: string): HolderQuery;
  /** Removes the claim of a dead process. */
  remove(address: string): Promise<void>;
}

/** How often a process tries again after another one had priority. */
const MAX_TRIES = 20;

/**
 * Competes for a file.
 *
 * A process makes its claim visible before it looks for other claims. So of any two processes at least one sees the
 * other, and they never both believe that they are alone.
 * @returns this process's claim if it now holds the file, otherwise the holder.
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
 * Of two competing processes, the one with the lower address has priority. The other one removes its claim and waits
 * for the decision. It may have looked before the lower claim existed, and already hold the file, so the process with
 * the lower address waits for its decision too.
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
  // The previous holder may have considered this claim dead, and removed it.
  if (!(await claim?.isVisible())) return "again";
  // Only the holder removes dead claims, before it releases the file: a new claim looks dead for a moment. A process
  // that was wrongly considered dead notices the removal, so it must come before this process reads the state.
  for (const address of dead) await meeting.remove(address);
  return (await claim?.hold()) ? "mine" : "again";
}

/** Finds the process that holds a file, without creating a claim. */
export async function findHolder(meeting: LockEncounter): Promise<Holder | undefined> {
  for (const address of await meeting.others(undefined)) {
    const holder = await meeting.ask(address).holder;
    if (holder) return holder;
  }
  return undefined;
}
