import { Pool } from "undici";

import type { BenchEmail } from "./bench-email.ts";

/** Emails to post to a web process, in batches. */
export type BatchOrder = {
  port: number;
  token: string;
  connections: number;
  size: number;
  emails: BenchEmail[];
};

process.on("disconnect", () => process.exit());
process.on("message", (order: BatchOrder) => {
  const startedAt = Date.now();
  void post(order).then(() => process.send!({ startedAt }));
});
process.send!({ ready: true });

async function post({ port, token, connections, size, emails }: BatchOrder): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const starts = Array.from({ length: Math.ceil(emails.length / size) }, (_, at) => at * size);
  const next = starts.values();
  const postSome = async () => {
    for (const start of next) {
      const { statusCode, body } = await pool.request({
        path: "/emails/batch",
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(emails.slice(start, start + size)),
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, postSome));
  await pool.close();
}
