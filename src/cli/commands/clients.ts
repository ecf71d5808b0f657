import { assumptionsCommand } from "./assumptions.ts";
import { clockCommand } from "./clock.ts";
import { completionCommand } from "./completion.ts";
import { envCommand } from "./env.ts";
import { execCommand } from "./exec.ts";
import { faultsCommand } from "./faults.ts";
import { magicCommand } from "./magic.ts";
import { openapiCommand } from "./openapi.ts";
import { payinCommand } from "./payin.ts";
import { payoutCommand } from "./payout.ts";
import { qrCommand } from "./qr.ts";
import { readyCommand } from "./ready.ts";
import { requestsCommand } from "./requests.ts";
import { resetCommand } from "./reset.ts";
import { scenarioCommand } from "./scenario.ts";
import { secretCommand } from "./secret.ts";
import { simulateCommand } from "./simulate.ts";
import { snapshotCommand } from "./snapshot.ts";
import { stateCommand } from "./state.ts";
import { waitCommand } from "./wait.ts";
import { webhooksCommand } from "./webhooks.ts";

/** Every command but `serve`, in the order of the help. */
export const CLIENT_COMMANDS = [
  execCommand,
  readyCommand,
  payinCommand,
  payoutCommand,
  qrCommand,
  simulateCommand,
  webhooksCommand,
  waitCommand,
  clockCommand,
  snapshotCommand,
  resetCommand,
  faultsCommand,
  requestsCommand,
  scenarioCommand,
  secretCommand,
  envCommand,
  stateCommand,
  assumptionsCommand,
  magicCommand,
  openapiCommand,
  completionCommand,
];
