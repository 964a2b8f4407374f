import { Text } from "@mantine/core";

import type { Me } from "#app/account/queries.ts";
import { formatBytes } from "#app/account/ui/bytes.ts";

import classes from "./storage.module.css";

/** The page shows a warning from this share on. */
const NEARLY_FULL = 0.9;

export function Storage({ me }: { me: Me }) {
  const { used_bytes: used, quota_bytes: quota, messages } = me;
  const share = Math.min(1, used / quota);
  return (
    <div>
      <div
        className={classes.bar}
        role="meter"
        aria-label="Storage used"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <div
          className={classes.used}
          data-nearly-full={share >= NEARLY_FULL || undefined}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <Text size="sm" mt={6}>
        {formatBytes(used)} of {formatBytes(quota)} used, {messages.toLocaleString("en")}{" "}
        {messages === 1 ? "message" : "messages"}
      </Text>
      {share >= NEARLY_FULL && (
        <Text size="sm" c="dimmed">
          {share >= 1
            ? "Your mailbox is full. New mail is returned to its senders until you free up space."
            : "Your mailbox is nearly full. Delete mail you no longer need, or ask an admin for more storage."}
        </Text>
      )}
    </div>
  );
}
