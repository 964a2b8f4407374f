"use client";

import { NativeSelect, Text, TextInput } from "@mantine/core";
import { useRouter } from "next/navigation";

import { OPERATED } from "#app/console/(pages)/operate/companies/queries.ts";
import type { AnswerOf, InputOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { withSelected } from "#app/console/ui/filter-chips.tsx";
import { looksLikeAddress, required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";

const LIST = "/console/operate/companies";

export function CreateCompany() {
  const router = useRouter();
  const creation = useChange("companies.create", { invalidates: [...OPERATED, "sessions.getMe"] });
  const created = creation.answer;
  return (
    <>
      <Breadcrumbs trail={[{ label: "Companies", href: LIST }]} />
      <PageHeader
        title="Create company"
        description="We’ll email the owner a link to set a password. Owners can do everything in the company."
      />
      <Panel>
        <NewCompanyForm send={(body) => creation.run({ body })} />
      </Panel>
      {created && (
        <SecretDialog
          title="Invitation sent"
          secret={created.link}
          fileName="posthouse-invitation.txt"
          onStored={() => router.replace(`${LIST}/${created.id}`)}
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

type Send = (body: InputOf<"companies.create">["body"]) => Promise<AnswerOf<"companies.create">>;

function NewCompanyForm({ send }: { send: Send }) {
  const plans = useRead("plans.list", {});
  const form = useForm({
    initialValues: { name: "", email: "", ownerName: "", planId: "" },
    labels: {
      name: "Company name",
      email: "Email address",
      ownerName: "Owner’s name",
      planId: "Plan",
    },
    checks: { name: required, email: looksLikeAddress },
    draft: "company-new",
    send: ({ planId, ...fields }) => send({ ...fields, planId: planId || null }),
  });
  return (
    <Form form={form} gap="lg" maxWidth={480} submit="Create company" cancelHref={LIST}>
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
          ...withSelected(
            (plans.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            form.values.planId,
            "Selected plan",
          ),
        ]}
      />
    </Form>
  );
}
