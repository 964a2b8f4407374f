import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";

import {
  type HostLink,
  joinStreams,
  linkServerOptions,
  type LinkService,
} from "#server/gateways/host-link.ts";
import { type DovecotSocket, dovecotSocket } from "#server/gateways/dovecot.ts";

import { receiveStore, type StoreReceiver } from "#mail/moves/receive-store.ts";

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Longer than any command takes; LMTP connections may be idle for a while. */
const IDLE_TIMEOUT_MS = 10 * 60_000;

type LinkListenerOptions = Pick<HostLink, "port" | "secret"> & StoreReceiver & { bind: string };

export type LinkListener = { stop(): Promise<void> };

/** Which of Dovecot's sockets serves what the other hosts ask for. Dovecot has none for `dsync`. */
const SOCKETS: Record<Exclude<LinkService, "dsync">, DovecotSocket> = {
  lmtp: "lmtp",
  "lmtp-existing": "lmtp-existing",
  doveadm: "http",
  sessions: "sessions",
  imap: "imap",
};

/**
 * Connects the other hosts of the installation with this host's Dovecot. Only hosts that know the shared key get through
 * the handshake.
 *
 * @throws Error when it cannot listen
 */
export async function startLinkListener({
  secret,
  port,
  bind,
  ...receiver
}: LinkListenerOptions): Promise<LinkListener> {
  const open = new Set<Socket>();
  const server = createServer(
    { ...linkServerOptions(secret), handshakeTimeout: HANDSHAKE_TIMEOUT_MS, noDelay: true },
    (client) => {
      open.add(client);
      client.once("close", () => open.delete(client));
      serve(client, receiver);
    },
  );
  server.on("tlsClientError", (error, { remoteAddress }) =>
    receiver.log.debug({ err: error, remoteAddress }, "a connection from another host failed"),
  );
  server.listen(port, bind);
  await once(server, "listening");
  return {
    async stop() {
      server.close();
      for (const client of open) client.destroy();
      await once(server, "close");
    },
  };
}

function serve(client: TLSSocket, receiver: StoreReceiver): void {
  client.setTimeout(IDLE_TIMEOUT_MS, () => client.destroy());
  try {
    const service = client.alpnProtocol as LinkService;
    if (service === "dsync") {
      void receiveStore(client, receiver);
      return;
    }
    const dovecot = connect({ path: dovecotSocket(receiver.dataFolder, SOCKETS[service]) });
    joinStreams(client, dovecot);
  } catch (error) {
    // Dovecot hasn't started yet.
    receiver.log.debug({ err: error }, "a connection from another host was closed");
    client.destroy();
  }
}
