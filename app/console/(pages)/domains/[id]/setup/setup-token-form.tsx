import { Anchor, Button, Group, PasswordInput, Text, TextInput } from "@mantine/core";

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
  host: { id: provider, name, url, hint, tokenLabel, keyIdLabel },
  onReviewed,
  onClose,
}: {
  domain: DomainDetail;
  host: DnsHost;
  onReviewed: (access: SetupAccess, plan: SetupPlan) => void;
  onClose: () => void;
}) {
  const toAccess = ({ token, keyId }: { token: string; keyId: string }): SetupAccess => ({
    ...{ provider, token },
    ...(keyIdLabel && { keyId }),
  });
  const form = useForm({
    initialValues: { keyId: "", token: "" },
    labels: { keyId: keyIdLabel ?? "", token: tokenLabel },
    checks: { token: required, ...(keyIdLabel && { keyId: required }) },
    draft: null,
    send: (values) => previewSetup(domain.id, toAccess(values)),
    onDone: (plan, values) => onReviewed(toAccess(values), plan),
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
        Create {keyIdLabel ? "an access key" : "an API token"} at{" "}
        <Anchor href={url} underline="always" target="_blank" rel="noreferrer">
          {name}
        </Anchor>
        . {hint}
      </Text>
      {keyIdLabel && (
        <TextInput {...form.field("keyId")} autoComplete="off" spellCheck={false} data-autofocus />
      )}
      <PasswordInput
        {...form.field("token")}
        description="Used for this setup only and never stored. You can revoke it afterwards."
        autoComplete="off"
        data-autofocus={keyIdLabel ? undefined : true}
      />
    </Form>
  );
}
