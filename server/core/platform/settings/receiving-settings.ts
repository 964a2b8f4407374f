import type { NumberSetting } from "./setting-types.ts";

/** Limits of what inbound addresses receive for the API. */
export const RECEIVING_SETTINGS = {
  keep_received_days: {
    kind: "number",
    default: 30,
    min: 1,
    max: 3_650,
    meaning: "days to keep received emails, which inbound addresses get for the API",
  },
  received_storage_mb: {
    kind: "number",
    default: 1_024,
    min: 1,
    max: 10_000_000,
    meaning: "MB of received emails per company; while it is reached, senders have to retry",
  },
  received_per_minute: {
    kind: "number",
    default: 600,
    min: 1,
    max: 1_000_000,
    meaning: "received emails per company and minute; above it, senders have to retry",
  },
} as const satisfies Record<string, NumberSetting>;
