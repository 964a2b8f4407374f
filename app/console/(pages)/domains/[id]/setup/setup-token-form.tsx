import { Anchor, Button, Group, PasswordInput, Text } from "@mantine/core";

import {
  type DomainDetail,
  previewSetup,
  type SetupAccess,
  type SetupPlan,
} from "#app/console/(pages)/domains/queries.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import type { DnsHost } from "./dns-hosts.ts";

export function SetupTokenForm({
  domain,
  host: { id: provider, name, url, hint },
  onReviewed,
  onClose,
}: {
  domain: DomainDetail;
  host: DnsHost;
  onReviewed: (access: SetupAccess, plan: SetupPlan) => void;
  onClose: () => void;
}) {
  const form = useForm({
    initialValues: { token: "" },
    labels: { token: "API token" },
    checks: { token: required },
    draft: null,
    send: ({ token }) => previewSetup(domain.id, { provider, token }),
    onDone: (plan, { token }) => onReviewed({ provider, token }, plan),
  });
  return (
    <Form
      form={form}
      actions={
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton form={form} pendingLabel="Reading records…">
            Review changes
          </SubmitButton>
        </Group>
      }
    >
      <Text>
        Create an API token at{" "}
        <Anchor href={url} underline="always" target="_blank" rel="noreferrer">
          {name}
        </Anchor>
        . {hint}
      </Text>
      <PasswordInput
        {...form.field("token")}
        description="Used for this setup only and never stored. You can revoke it afterwards."
        autoComplete="off"
        data-autofocus
      />
    </Form>
  );
}
