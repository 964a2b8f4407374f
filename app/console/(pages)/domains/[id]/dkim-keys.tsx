"use client";

import { Button, Stack, Text } from "@mantine/core";

import { type DomainDetail, useRotateKeys } from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

/** Rotates a domain's DKIM keys, and lists the records of replaced keys that are still needed. */
export function DkimKeys({ domain }: { domain: DomainDetail }) {
  const rotation = useRotateKeys(domain.id);
  const isPublished = domain.records.some(({ kind, isVerified }) => kind === "dkim" && isVerified);
  const mayRotate = usePrivileges().has("domains") && isPublished && !domain.isRotatingKeys;
  return (
    <Panel title="DKIM keys">
      <Stack gap="md" align="flex-start">
        <Text c="dimmed">{explain(domain)}</Text>
        {domain.retiredKeys.map(({ host, keepUntil: until }) => (
          <Text key={host}>
            Keep the record <code>{host}</code> until <ExactTime at={until} />, when the last
            signature made with its key expires. Then delete it.
          </Text>
        ))}
        {mayRotate && (
          <Button variant="default" aria-busy={rotation.isPending} onClick={() => rotation.start()}>
            Rotate keys
          </Button>
        )}
      </Stack>
    </Panel>
  );
}

function explain({ isRotatingKeys: isRotating }: DomainDetail): string {
  return isRotating
    ? "Publish the new DKIM records on the DNS tab. Posthouse switches to the new keys once all name servers have the records. Until then, it signs with the current keys."
    : "Posthouse rotates the keys once a year and notifies the admins who can manage domains when there are new records to publish. You can also rotate them now. Posthouse signs with the current keys until the new records are published.";
}
