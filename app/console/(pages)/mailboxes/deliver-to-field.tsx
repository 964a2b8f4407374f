import { AddressPicker } from "#app/console/ui/addresses.tsx";

type DeliverToFieldProps = { value: string; onChange: (address: string) => void };

/** Which mailbox gets the mail of those that are deleted; "" for none. */
export const DeliverToField = ({ value, onChange }: DeliverToFieldProps) => (
  <AddressPicker
    name="deliverTo"
    label="Deliver new mail to (optional)"
    description="The deleted addresses become aliases of this mailbox until you restore them. To send automatic replies or share existing mail, suspend the mailbox instead."
    suggests={["mailbox"]}
    value={value === "" ? [] : [value]}
    onChange={(entries) => onChange(entries.at(-1) ?? "")}
  />
);
