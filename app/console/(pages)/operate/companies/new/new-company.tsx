"use client";

import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { SubmitEvent } from "react";

import { useCreateCompany } from "#app/console/(pages)/operate/companies/queries.ts";
import { plansQuery } from "#app/console/(pages)/operate/plans/queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/secret-dialog.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

const LIST = "/console/operate/companies";

/** A company and the person who will own it, who sets a password by a link: nobody else knows it. */
export function NewCompany() {
  const router = useRouter();
  const plans = useQuery(plansQuery);
  const creation = useCreateCompany();
  const { error } = creation;
  const problemOfEmail = problemOfField(error, "email", "Address");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    creation.mutate({
      name: textOf(form, "name"),
      email: textOf(form, "email"),
      owner_name: textOf(form, "owner_name"),
      plan_id: textOf(form, "plan") || null,
    });
  }

  return (
    <>
      <Breadcrumbs trail={[{ label: "Companies", href: LIST }]} />
      <PageHeader
        title="Create a company"
        sentence="Its owner gets an email with a link, sets a password, and can do everything in the company."
      />
      <Panel>
        <form onSubmit={handleSubmit} method="post" noValidate>
          <Stack gap="lg" maw={480}>
            <TextInput name="name" label="Company name" autoComplete="off" />
            <TextInput
              name="email"
              label="Owner's email address"
              description="Somebody who signs in here already keeps their password and gets this company beside their others."
              error={problemOfEmail}
              type="email"
              autoComplete="off"
            />
            <TextInput name="owner_name" label="Owner's name (optional)" autoComplete="off" />
            <NativeSelect
              name="plan"
              label="Plan"
              description="Without one, the company may use any number of everything."
              data={[
                { value: "", label: "No plan" },
                ...(plans.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
            {!problemOfEmail && <FormProblem error={error} />}
            <Group gap="xs">
              <Button type="submit" loading={creation.isPending}>
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
          title="The owner's link"
          secret={creation.data.link}
          fileName="posthouse-invitation.txt"
          onStored={() => router.replace(`${LIST}/${creation.data.id}`)}
        >
          <Text>
            It is on its way by email. Should it not arrive, hand it over yourself: who opens it
            within seven days owns the company. It is not shown again; a new one ends it.
          </Text>
        </SecretDialog>
      )}
    </>
  );
}
