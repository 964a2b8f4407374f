import { Text } from "@mantine/core";

import { endpointParts } from "./webhook-labels.ts";

/** The URL of an endpoint, with its host first. */
export function EndpointName({ endpoint }: { endpoint: string }) {
  const { host, rest } = endpointParts(endpoint);
  return (
    <>
      {host}
      <Text component="span" inherit fw={400} c="dimmed">
        {rest}
      </Text>
    </>
  );
}
