import type { Menu as MantineMenu, MenuProps } from "@mantine/core";
import { useDisclosure, useMounted } from "@mantine/hooks";
import {
  type ComponentProps,
  cloneElement,
  createContext,
  createElement,
  type FunctionComponent,
  type ReactElement,
  type ReactNode,
  type Ref,
  use,
  useId,
  useImperativeHandle,
  useState,
} from "react";

import { toast } from "./actions.tsx";
import { errorMessage } from "./errors.tsx";

type Parts = typeof MantineMenu;

/** The parts of Mantine's menu, inside of an open one. */
const LoadedParts = createContext<Parts | null>(null);

const load = () => import("./mantine-on-demand.ts");

// If this fails, pressing the button retries and reports the error.
const preload = () => void load().catch(() => {});

type MenuButtonProps = Omit<MenuProps, "opened" | "onChange"> & {
  button: ReactElement;
  children: ReactNode;
};

/**
 * A button with Mantine's menu, which is loaded when the pointer or the focus reaches the button.
 *
 * @param children `Menu.Item`s
 */
function MenuButton({ button, ...props }: MenuButtonProps) {
  const id = useId();
  const [isOpen, menu] = useDisclosure();
  const [loaded, setLoaded] = useState<Parts | null>(null);
  const [target, setTarget] = useState<HTMLElement | null>(null);
  async function toggle() {
    try {
      const { Menu } = await load();
      setLoaded(() => Menu);
      menu.toggle();
    } catch (error) {
      toast(errorMessage(error as Error), { isError: true });
    }
  }
  return (
    <>
      {cloneElement(button as ReactElement<ComponentProps<"button">>, {
        ref: setTarget,
        id,
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        "aria-controls": isOpen ? `${id}-dropdown` : undefined,
        onPointerEnter: preload,
        onFocus: preload,
        onClick: () => void toggle(),
      })}
      {loaded && (
        <LoadedMenu
          {...props}
          menu={loaded}
          id={id}
          button={target}
          opened={isOpen}
          onChange={menu.set}
        />
      )}
    </>
  );
}

type LoadedMenuProps = MenuProps & { menu: Parts; button: HTMLElement | null };

/** Opens only after mounting: Mantine returns focus only if it saw the menu open. */
function LoadedMenu({ menu: Menu, button, opened, children, ...props }: LoadedMenuProps) {
  const isMounted = useMounted();
  return (
    <Menu position="bottom-end" returnFocus {...props} opened={opened && isMounted}>
      <Menu.Target>
        <OnPage button={button} />
      </Menu.Target>
      <Menu.Dropdown>
        <LoadedParts value={Menu}>{children}</LoadedParts>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Hands Mantine the button that is on the page already. */
function OnPage({ button, ref }: { button: HTMLElement | null; ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => button!, [button]);
  return null;
}

/** A part of an open menu: the others need not load it. */
const part = <Name extends "Item" | "CheckboxItem" | "Label" | "Divider">(name: Name) =>
  function MenuPart(props: object) {
    const menu = use(LoadedParts);
    return menu && createElement(menu[name] as FunctionComponent, props);
  } as unknown as Parts[Name];

/** Mantine's menu with its button as a property, loaded on demand. */
export const Menu = Object.assign(MenuButton, {
  Item: part("Item"),
  CheckboxItem: part("CheckboxItem"),
  Label: part("Label"),
  Divider: part("Divider"),
});
