"use client";

import { Modal } from "#app/console/ui/modal.tsx";

import { ProveForm } from "./prove-form.tsx";
import { type Factors, useFresh, useNewRecoveryCodes } from "./queries.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

/** Ten new recovery codes in place of those before. */
export function NewCodes({ factors, onClose }: { factors: Factors; onClose: () => void }) {
  const make = useNewRecoveryCodes();
  const fresh = useFresh();
  if (make.data)
    return (
      <RecoveryCodes
        codes={make.data.recovery_codes}
        onStored={() => {
          onClose();
          void fresh();
        }}
      />
    );
  return (
    <Modal opened onClose={onClose} title="Make new recovery codes?">
      <ProveForm
        factors={factors}
        verb="Make new codes"
        isPending={make.isPending}
        error={make.error}
        onClose={onClose}
        onShown={(shown) => make.mutate(shown)}
      >
        You get ten new codes. The ones that you have now stop working.
      </ProveForm>
    </Modal>
  );
}
