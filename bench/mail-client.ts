import { createConnection, type NetConnectOpts } from "node:net";
import { createInterface } from "node:readline";

/** The messages to send over SMTP or LMTP, each to one recipient. */
export type MailOrder = {
  at: NetConnectOpts;
  hello: "EHLO" | "LHLO";
  connections: number;
  /** In rotation. */
  recipients: string[];
  count: number;
};

const BODY_BYTES = 4096;

process.on("disconnect", () => process.exit());
process.on("message", (order: MailOrder) => {
  void handIn(order).then(() => process.send!({ done: true }));
});
process.send!({ ready: true });

async function handIn({ connections, ...order }: MailOrder): Promise<void> {
  const next = Array.from({ length: order.count }, (_, i) => i).values();
  await Promise.all(Array.from({ length: connections }, () => handInSome(order, next)));
}

/** One connection, as mail servers use it: pipelined (RFC 2920), message after message. */
async function handInSome(
  { at, hello, recipients }: Omit<MailOrder, "connections">,
  next: ArrayIterator<number>,
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
  for (const i of next) {
    const to = recipients[i % recipients.length]!;
    socket.write(`MAIL FROM:<news@sender.test>\r\nRCPT TO:<${to}>\r\nDATA\r\n`);
    for (const code of [250, 250, 354]) await expect(code);
    socket.write(messageTo(to, i));
    await expect(250);
  }
  socket.end("QUIT\r\n");
}

function messageTo(to: string, i: number): string {
  const line = `Order ${i}: thank you, your parcel is on its way to you.\r\n`;
  return [
    "From: News <news@sender.test>",
    `To: <${to}>`,
    `Subject: Your order ${i}`,
    `Message-ID: <${i}.${process.pid}@sender.test>`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    "",
    `${line.repeat(Math.ceil(BODY_BYTES / line.length))}.\r\n`,
  ].join("\r\n");
}
