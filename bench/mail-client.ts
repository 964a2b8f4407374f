import { createConnection, type NetConnectOpts } from "node:net";
import { createInterface } from "node:readline";

/** The messages to send over SMTP or LMTP. */
export type MailOrder = {
  at: NetConnectOpts;
  hello: "EHLO" | "LHLO";
  connections: number;
  messages: { from: string; to: string; content: string }[];
};
/** `startedAt`: when it had the order, in epoch milliseconds. */
export type MailDone = { startedAt: number };

process.on("disconnect", () => process.exit());
process.on("message", (order: MailOrder) => {
  const startedAt = Date.now();
  void handIn(order).then(() => process.send!({ startedAt } satisfies MailDone));
});
process.send!({ ready: true });

async function handIn({ connections, messages, ...order }: MailOrder): Promise<void> {
  const next = messages.values();
  await Promise.all(Array.from({ length: connections }, () => handInSome(order, next)));
}

/** One connection, as mail servers use it: pipelined (RFC 2920), message after message. */
async function handInSome(
  { at, hello }: Pick<MailOrder, "at" | "hello">,
  next: ArrayIterator<MailOrder["messages"][number]>,
): Promise<void> {
  const socket = createConnection(at);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const expect = async (code: number) => {
    for (;;) {
      const { value = "", done } = await lines.next();
      if (done || !value.startsWith(String(code))) throw new Error(`not ${code}: ${value}`);
      if (value[3] !== "-") return;
    }
  };
  await expect(220);
  socket.write(`${hello} client.sender.test\r\n`);
  await expect(250);
  for (const { from, to, content } of next) {
    socket.write(`MAIL FROM:<${from}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`);
    for (const code of [250, 250, 354]) await expect(code);
    socket.write(`${content}.\r\n`);
    await expect(250);
  }
  socket.end("QUIT\r\n");
}
