import { anSmtpSink } from "#server/testing/smtp-sink.ts";

// A mail server in a separate process that only counts messages. Prints its port, then its count on request.
const sink = await anSmtpSink({ keep: false });
process.on("message", () => process.send!({ accepted: sink.accepted() }));
process.on("disconnect", () => process.exit());
process.send!({ port: sink.port });
