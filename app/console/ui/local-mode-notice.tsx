import { Button, Text } from "@mantine/core";
import Link from "next/link";

import { useMe } from "#app/console/session.ts";

import { Panel } from "./panel.tsx";

/** In local mode: what isn't possible yet, and for operators a link to the steps that make it possible. */
export function LocalModeNotice() {
  const me = useMe();
  if (!me?.isLocalMode) return null;
  return (
    <Panel
      title="Local mode"
      aside={
        me.isOperator && (
          <Button component={Link} href="/console/operate/go-live">
            Go live
          </Button>
        )
      }
    >
      <Text>
        This server has no public hostname yet, so it can’t exchange mail with other servers, and
        there are no DNS records to publish for your domains.
        {!me.isOperator && " Ask the operator of this server to go live."}
      </Text>
    </Panel>
  );
}
