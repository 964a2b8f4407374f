"use client";

import { Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";

import { useCreateCompany } from "#app/console/(pages)/operate/companies/queries.ts";
import { plansQuery } from "#app/console/(pages)/operate/plans/plans.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { isEmail, required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";

const LIST = "/console/operate/companies";

export function NewCompany() {
  const router = useRouter();
  const creation = useCreateCompany();
  return (
    <>
      <Breadcrumbs trail={[{ label: "Companies", href: LIST }]} />
      <PageHeader
        title="Create company"
        description="We’ll email the owner a link to set a password. Owners can do everything in the company."
      />
      <Panel>
        <NewCompanyForm send={creation.mutateAsync} />
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

function NewCompanyForm({ send }: { send: ReturnType<typeof useCreateCompany>["mutateAsync"] }) {
  const plans = useQuery(plansQuery);
  const form = useForm({
    initialValues: { name: "", email: "", ownerName: "", planId: "" },
    labels: {
      name: "Company name",
      email: "Email address",
      ownerName: "Owner’s name",
      planId: "Plan",
    },
    checks: { name: required, email: isEmail },
    draft: "company-new",
    send: ({ planId, ...fields }) => send({ ...fields, planId: planId || null }),
  });
  return (
    <Form
      form={form}
      gap="lg"
      maxWidth={480}
      actions={
        <Group gap="xs">
          <SubmitButton form={form}>Create company</SubmitButton>
          <Button component={Link} href={LIST} variant="default" onClick={form.discard}>
            Cancel
          </Button>
        </Group>
      }
    >
      <TextInput {...form.field("name")} autoComplete="off" />
      <TextInput
        {...form.field("email")}
        label="Owner’s email address"
        description="If they already sign in to this server, they keep their password and can switch between companies."
        type="email"
        autoComplete="off"
      />
      <TextInput {...form.field("ownerName")} label="Owner’s name (optional)" autoComplete="off" />
      <NativeSelect
        {...form.field("planId")}
        description="Without a plan, the company has no limits."
        data={[
          { value: "", label: "No plan" },
          ...(plans.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </Form>
  );
}
