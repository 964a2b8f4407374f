import { anSmtpSink } from "#server/testing/smtp-sink.ts";

// A mail server that only counts, in a process of its own. Says its port, then its count when asked.
const sink = await anSmtpSink({ keep: false });
process.on("message", () => process.send!({ accepted: sink.accepted() }));
process.on("disconnect", () => process.exit());
process.send!({ port: sink.port });
