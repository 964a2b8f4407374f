import { Button, Text } from "@mantine/core";

import { RECORD_LABELS } from "#app/console/(pages)/domains/domain-labels.ts";
import type { ConnectLink } from "#app/console/(pages)/domains/queries.ts";

const LIST = new Intl.ListFormat("en-US");

/** Links to the DNS provider, which redirects back to this page (`useProviderReturn`). */
export function ConnectProvider({ link: { provider, records, url } }: { link: ConnectLink }) {
  const labels = records.map((kind) => RECORD_LABELS[kind].label);
  return (
    <>
      <Button component="a" href={url}>
        Publish records at {provider}
      </Button>
      <Text size="sm" c="dimmed">
        {provider} asks you to approve these records: {LIST.format(labels)}. Nothing else changes.
      </Text>
    </>
  );
}
