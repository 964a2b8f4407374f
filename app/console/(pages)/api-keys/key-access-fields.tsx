import { NativeSelect } from "@mantine/core";

import type { useForm } from "#app/console/ui/form/use-form.ts";
import { RadioList } from "#app/console/ui/radio-list.tsx";

import { AllowListField, parseAllowList } from "./allow-list-field.tsx";
import { type ApiKeyDetail, type KeyChoices, permissions } from "./queries.ts";

/** What a key can do, and from where: the values of the form's fields. */
export type KeyAccessValues = {
  permission: ApiKeyDetail["permission"];
  domainId: string;
  allowedAddresses: string;
};

export const ACCESS_LABELS = {
  permission: "Permission",
  domainId: "Domain",
  allowedAddresses: "Allowed IP addresses",
};

/** Converts them to the request body. */
export const toAccess = ({ permission, domainId, allowedAddresses }: KeyAccessValues) => ({
  permission,
  domainId: (permission === "sending_access" && domainId) || null,
  allowedAddresses: parseAllowList(allowedAddresses),
});

type KeyAccessFieldsProps = {
  form: Pick<ReturnType<typeof useForm<KeyAccessValues, unknown>>, "values" | "field" | "set">;
  permissions: readonly KeyAccessValues["permission"][];
  choices: KeyChoices;
};

export function KeyAccessFields({ form, permissions: offered, choices }: KeyAccessFieldsProps) {
  const { permission, domainId } = form.values;
  return (
    <>
      <RadioList
        label="Permission"
        choices={offered.map((value) => ({ value, ...permissions[value] }))}
        value={permission}
        onChange={(chosen) => form.set("permission", chosen)}
      />
      {permission === "sending_access" && choices.domains.length > 0 && (
        <NativeSelect
          {...form.field("domainId")}
          description={
            domainId === ""
              ? "The key can send from all your verified domains, including ones created later."
              : "The key can only send from this domain."
          }
          size="md"
          data={[
            { value: "", label: "All domains" },
            ...choices.domains.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <AllowListField field={form.field("allowedAddresses")} choices={choices} />
    </>
  );
}
