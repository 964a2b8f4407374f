"use client";

import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { SubmitEvent } from "react";

import { useCreateCompany } from "#app/console/(pages)/operate/companies/queries.ts";
import { plansQuery } from "#app/console/(pages)/operate/plans/queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/secret-dialog.tsx";
import { formText } from "#app/console/ui/form-text.ts";

const LIST = "/console/operate/companies";

export function NewCompany() {
  const router = useRouter();
  const plans = useQuery(plansQuery);
  const creation = useCreateCompany();
  const { error } = creation;
  const emailProblem = fieldError(error, "email", "Email address");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    creation.mutate({
      name: formText(form, "name"),
      email: formText(form, "email"),
      owner_name: formText(form, "owner_name"),
      plan_id: formText(form, "plan") || null,
    });
  }

  return (
    <>
      <Breadcrumbs trail={[{ label: "Companies", href: LIST }]} />
      <PageHeader
        title="Create company"
        description="We’ll email the owner a link to set a password. Owners can do everything in the company."
      />
      <Panel>
        <form onSubmit={handleSubmit} method="post" noValidate>
          <Stack gap="lg" maw={480}>
            <TextInput name="name" label="Company name" autoComplete="off" />
            <TextInput
              name="email"
              label="Owner’s email address"
              description="If they already sign in to this server, they keep their password and can switch between companies."
              error={emailProblem}
              type="email"
              autoComplete="off"
            />
            <TextInput name="owner_name" label="Owner’s name (optional)" autoComplete="off" />
            <NativeSelect
              name="plan"
              label="Plan"
              description="Without a plan, the company has no limits."
              data={[
                { value: "", label: "No plan" },
                ...(plans.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
            {!emailProblem && <FormError error={error} />}
            <Group gap="xs">
              <Button type="submit" aria-busy={creation.isPending}>
                Create company
              </Button>
              <Button component={Link} href={LIST} variant="default">
                Cancel
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
      {creation.data && (
        <SecretDialog
          title="Invitation sent"
          secret={creation.data.link}
          fileName="posthouse-invitation.txt"
          onStored={() => router.replace(`${LIST}/${creation.data.id}`)}
        >
          <Text>
            We emailed the owner a link that expires in seven days. If it doesn’t arrive, send them
            this link yourself. Anyone with it can become the owner. You won’t be able to see it
            again, and a new invitation invalidates it.
          </Text>
        </SecretDialog>
      )}
    </>
  );
}
