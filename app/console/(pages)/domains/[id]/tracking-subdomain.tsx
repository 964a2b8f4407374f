"use client";

import { Stack, Text, TextInput } from "@mantine/core";

import {
  type DomainDetail,
  useSetTrackingSubdomain,
} from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

/** Sets the host below the domain that tracking and unsubscribe links use. */
export function TrackingSubdomain({ domain }: { domain: DomainDetail }) {
  const mayUpdate = usePrivileges().has("domains");
  return (
    <Panel title="Tracking subdomain">
      <Stack gap="md" maw={480}>
        <Text c="dimmed">{describeUse(domain)}</Text>
        {mayUpdate && <TrackingSubdomainForm domain={domain} />}
      </Stack>
    </Panel>
  );
}

function TrackingSubdomainForm({ domain }: { domain: DomainDetail }) {
  const change = useSetTrackingSubdomain(domain.id);
  const form = useForm({
    initialValues: { trackingSubdomain: domain.trackingSubdomain ?? "" },
    labels: { trackingSubdomain: "Subdomain" },
    draft: `tracking-subdomain-${domain.id}`,
    send: ({ trackingSubdomain: label }) => change.mutateAsync(label || null),
    followsServer: true,
    onDone: () => toast("Tracking subdomain saved"),
  });
  return (
    <Form
      form={form}
      actions={
        <div>
          <SubmitButton form={form}>Save subdomain</SubmitButton>
        </div>
      }
    >
      <TextInput
        {...form.field("trackingSubdomain")}
        description={`Such as links, for links.${domain.name}. Leave empty to use this server’s host.`}
        autoCapitalize="off"
        spellCheck={false}
      />
    </Form>
  );
}

function describeUse({ name, trackingSubdomain: label, ...domain }: DomainDetail): string {
  if (label === null)
    return "Tracking and unsubscribe links use this server’s host. A subdomain of your own keeps recipients on your domain.";
  const host = `${label}.${name}`;
  if (domain.isTrackingHostInUse)
    return `Tracking and unsubscribe links of new emails use ${host}. Links in sent emails stop working if you remove its record.`;
  const isFound = domain.records.some(({ kind, isVerified }) => kind === "tracking" && isVerified);
  return isFound
    ? `${host} points to this server. Links use it once its certificate is issued, usually within minutes.`
    : `Publish the Tracking record on the DNS tab. Until it is verified, links use this server’s host.`;
}
