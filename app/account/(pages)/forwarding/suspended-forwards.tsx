import { Alert, Button, Stack, Text } from "@mantine/core";

import { type Rules, useResumeForwarding } from "#app/account/rule-queries.ts";
import { FormError } from "#app/console/ui/form-error.tsx";

/** Forwarding addresses that were suspended because they kept failing. */
export function SuspendedForwards({ suspended }: { suspended: Rules["suspended_forwards"] }) {
  const resume = useResumeForwarding();
  if (suspended.length === 0) return null;
  return (
    <Stack gap="sm" mb="lg" maw={480}>
      {suspended.map(({ address, reason }) => (
        <Alert key={address} color="yellow" title={`Forwarding to ${address} is suspended`}>
          <Text size="sm" mb="sm">
            Several messages in a row couldn’t be delivered there. {reason} New messages stay in
            this mailbox.
          </Text>
          <Button
            size="xs"
            variant="default"
            loading={resume.isPending && resume.variables === address}
            onClick={() => resume.mutate(address)}
          >
            Resume forwarding to {address}
          </Button>
        </Alert>
      ))}
      <FormError error={resume.error} />
    </Stack>
  );
}
