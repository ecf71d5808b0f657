import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

/** The space between a panel and the edge of the page, in pixels. */
const EDGE_PX = 8;

/** A button, and the panel that it opens below itself. Escape and a click elsewhere close the panel. */
export function Floating(props: {
  /** The panel's name, and that of a button without text. */
  readonly title: string;
  /** What the button shows. */
  readonly button: ComponentChildren;
  /** Whether the button shows a sign only. */
  readonly isSign?: boolean;
  readonly class?: string;
  readonly testId?: string;
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const { title, button, isSign, testId, children } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={props.class}
        popovertarget={id}
        aria-expanded={isOpen}
        {...(isSign && { "aria-label": title, title })}
        data-testid={testId}
      >
        {button}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={title}
        class="floating"
        onBeforeToggle={(event) => {
          const opens = event.newState === "open";
          if (opens && opener.current) placeBelow(opener.current, event.currentTarget);
          setOpen(opens);
        }}
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}

/** Puts a panel below a button, at the side of the page that the button is nearer to. */
function placeBelow(button: HTMLElement, { style }: HTMLElement): void {
  const { left, right, bottom } = button.getBoundingClientRect();
  const isLeft = left + right < innerWidth;
  style.top = `${bottom + EDGE_PX / 2}px`;
  style.left = isLeft ? `${Math.max(EDGE_PX, left)}px` : "auto";
  style.right = isLeft ? "auto" : `${Math.max(EDGE_PX, innerWidth - right)}px`;
  style.maxHeight = `${innerHeight - bottom - 2 * EDGE_PX}px`;
}
