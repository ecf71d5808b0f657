import { readFile } from "node:fs/promises";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { LocalizedError } from "../../core/errors.ts";
import { reasonOf, StateFileError } from "../errors.ts";
import { type PostgresAddress, type PostgresTls, parseAddress } from "./address.ts";
import { type Links, PostgresTables, PURPOSES } from "./journal-tables.ts";
import { Leadership } from "./leadership.ts";
import { PostgresLease } from "./lease-table.ts";
import { Link } from "./link.ts";
import { migrate } from "./migrations.ts";
import { PostgresJournal } from "./postgres-journal.ts";

/** A state in a database, which several processes share. */
export class SharedState {
  readonly leadership: Leadership;
  readonly #address: PostgresAddress;
  readonly #driver: Readonly<Record<string, unknown>>;

  constructor(
    address: PostgresAddress,
    driver: Readonly<Record<string, unknown>>,
    leadership: Leadership,
  ) {
    this.#address = address;
    this.#driver = driver;
    this.leadership = leadership;
  }

  /**
   * A journal with connections of its own, which closing it closes.
   * @param parts.isOver whether this process may not write any more: an append is then not tried again
   * @param parts.onHint called when there may be new entries
   */
  openJournal(parts: {
    isOver: () => boolean;
    onTakenOver: () => void;
    onHint: () => void;
  }): PostgresJournal {
    const links = PURPOSES.map((purpose) => [purpose, this.#link(purpose)]);
    const tables = new PostgresTables(this.#address.sandbox, Object.fromEntries(links) as Links);
    tables.listen(parts.onHint).catch(() => undefined);
    return new PostgresJournal({
      tables,
      mayRetry: () => !parts.isOver(),
      onTakenOver: parts.onTakenOver,
    });
  }

  #link(name: string): Link {
    return linkOf(this.#address, this.#driver, name);
  }
}

/**
 * Opens the state at an address; creates the tables, and the sandbox in them, if they do not exist.
 * @throws PostgresAddressError for an address that cannot be used, StateFileError if the database cannot be reached or
 * has other tables.
 */
export async function openSharedState(
  state: string,
  callbacks: Omit<ConstructorParameters<typeof Leadership>[0], "table" | "leaseMs">,
): Promise<SharedState> {
  const address = parseAddress(state);
  const driver = await driverOptions(address);
  const link = linkOf(address, driver, "start");
  try {
    await link.run(migrate, START_MS);
    await new PostgresTables(address.sandbox, sharing(link)).prepare();
    const table = new PostgresLease(
      address.sandbox,
      linkOf(address, driver, "lease"),
      address.leaseMs,
    );
    await new PostgresLease(address.sandbox, link, START_MS).prepare();
    return new SharedState(
      address,
      driver,
      new Leadership({ table, leaseMs: address.leaseMs, ...callbacks }),
    );
  } catch (error) {
    throw error instanceof StateFileError ? error : unreachable(address, error);
  } finally {
    link.close();
  }
}

/**
 * Works with the tables of an address, over one connection.
 * @param options.isNew whether the tables are created, or brought up to date
 * @throws StateFileError if the database cannot be used
 */
export async function withTables<Result>(
  state: string,
  { isNew }: { readonly isNew: boolean },
  work: (tables: PostgresTables) => Promise<Result>,
): Promise<Result> {
  const address = parseAddress(state);
  const link = linkOf(address, await driverOptions(address), "copy");
  try {
    if (isNew) await link.run(migrate, START_MS);
    return await work(new PostgresTables(address.sandbox, sharing(link)));
  } catch (error) {
    throw error instanceof LocalizedError ? error : unreachable(address, error);
  } finally {
    link.close();
  }
}

/** The sandbox of an address, and the address without the password. */
export function labelled(state: string): { readonly place: string; readonly sandbox: string } {
  const { masked, sandbox } = parseAddress(state);
  return { place: masked, sandbox };
}

/** One connection for every purpose. */
function sharing(link: Link): Links {
  return Object.fromEntries(PURPOSES.map((purpose) => [purpose, link])) as Links;
}

/** How long the start may take with the database: another process may be changing the tables. */
const START_MS = 15_000;

function linkOf(
  { url, host, port, database }: PostgresAddress,
  driver: object,
  name: string,
): Link {
  return new Link({
    url,
    driver: { ...driver, host, port, database },
    name: `pix-sandbox ${name}`,
  });
}

async function driverOptions({
  host,
  tls,
}: PostgresAddress): Promise<Readonly<Record<string, unknown>>> {
  return tls === undefined ? {} : { ssl: await readTls(tls, host) };
}

/** The driver's options of TLS, with the meaning that libpq gives each mode. */
async function readTls(
  { mode, rootCertFile, certFile, keyFile }: PostgresTls,
  host: string,
): Promise<unknown> {
  if (mode === "disable") return false;
  if (mode === "prefer") return "prefer";
  const ca = await readIfGiven(rootCertFile);
  const isVerified = mode !== "require" || ca !== undefined;
  return {
    rejectUnauthorized: isVerified,
    // The driver passes no name on for an IP address: Node.js would then check the name `localhost`.
    checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
      mode === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
    ca,
    cert: await readIfGiven(certFile),
    key: await readIfGiven(keyFile),
  };
}

async function readIfGiven(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new StateFileError({
      en: `The file ${file} in the address of the database cannot be read: ${message}.`,
      pt: `O arquivo ${file} no endereço do banco de dados não pode ser lido: ${message}.`,
    });
  }
}

function unreachable({ masked }: PostgresAddress, error: unknown): LocalizedError {
  const { en, pt } = reasonOf(error);
  return new StateFileError({
    en: `The database ${masked} cannot be used: ${en}. Check the address, the user's rights, and whether PostgreSQL runs.`,
    pt: `O banco de dados ${masked} não pode ser usado: ${pt}. Confira o endereço, as permissões do usuário e se o PostgreSQL está no ar.`,
  });
}
