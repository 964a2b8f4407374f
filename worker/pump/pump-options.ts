import type { Logger } from "pino";

import type { Relay } from "#server/config.ts";
import type { Connection } from "#server/db/client.ts";
import type { Carrier } from "#worker/delivery/delivery.ts";

import type { MessageMaker } from "./prepare-message.ts";

export type PumpOptions = MessageMaker & {
  connection: Connection;
  carrier: Carrier;
  /** The domain of envelope senders, where bounces are returned to, unless the sending domain has its own. */
  hostname: string;
  /** Base URL of tracked links. */
  baseUrl: string;
  relay: Relay | null;
  dataFolder: string;
  /** The appliance's own SMTP listener, here or on a mail host (server/core/mail/incoming/local-smtp-address.ts). */
  ownListener: () => { host: string; port: number };
  log: Logger;
  /** Poll interval, for due rows that no notification announced. */
  pollMs?: number;
};
