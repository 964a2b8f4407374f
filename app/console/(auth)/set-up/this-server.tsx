import { Text } from "@mantine/core";

import type { Server } from "./queries.ts";
import classes from "./this-server.module.css";

/** The host name, which the environment gives: what it means, and how to change it. */
export function ThisServer({ server: { hostname, url, is_local: isLocal } }: { server: Server }) {
  return (
    <section className={classes.server} aria-label="This server">
      <div>
        Host name <strong>{hostname}</strong>
      </div>
      <Text size="sm" c="dimmed">
        {isLocal
          ? "Local mode: mail stays on this machine. For mail with the world, set POSTHOUSE_HOSTNAME to the name that other mail servers should know it by, such as mail.example.com, and start Posthouse again."
          : `Other mail servers know this one by it, and the console is at ${url}. Another name? Set POSTHOUSE_HOSTNAME and start Posthouse again, before you add domains: their records name it.`}
      </Text>
    </section>
  );
}
