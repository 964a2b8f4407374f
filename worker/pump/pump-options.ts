import type { Logger } from "pino";

import type { Relay } from "#server/config.ts";
import type { Connection } from "#server/db/client.ts";
import type { Carrier } from "#worker/delivery/delivery.ts";

import type { MessageMaker } from "./prepare-message.ts";

/** What the pumps work with. */
export type PumpOptions = MessageMaker & {
  connection: Connection;
  carrier: Carrier;
  /** Where envelope senders are, and bounces come home to. */
  hostname: string;
  /** Where tracked links lead. */
  baseUrl: string;
  relay: Relay | null;
  dataFolder: string;
  /** Where the appliance itself takes mail (server/core/mail/incoming/local-smtp-address.ts). */
  door: { host: string; port: number };
  log: Logger;
  /** How often it looks by itself. */
  pollMs?: number;
};
