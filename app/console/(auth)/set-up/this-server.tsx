import { Text } from "@mantine/core";

import type { Server } from "./queries.ts";
import classes from "./this-server.module.css";

/** The hostname from the environment, and how to change it. */
export function ServerSummary({
  server: { hostname, url, is_local: isLocal },
}: {
  server: Server;
}) {
  return (
    <section className={classes.server} aria-label="This server">
      <div>
        Hostname <strong>{hostname}</strong>
      </div>
      <Text size="sm" c="dimmed">
        {isLocal
          ? "Local mode: mail stays on this machine. To exchange mail with other servers, set POSTHOUSE_HOSTNAME to this server’s public name, such as mail.example.com, and restart Posthouse."
          : `Other mail servers see this name. The console is at ${url}. To change the name, set POSTHOUSE_HOSTNAME and restart Posthouse before you create domains: their DNS records contain it.`}
      </Text>
    </section>
  );
}
