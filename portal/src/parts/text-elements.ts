// Browsers that translate a page put elements of their own in the place of its texts. A text that
// Preact changed in place would then change nothing that is seen. So each text is an element of its
// own, whose key is the text: another text is another element. Figures are not translated.
import { type ComponentChildren, createElement, Fragment, options, type VNode } from 'preact'

/** These hold a text and no elements: the whole of them is another one with another text. */
const holders = new Set(['option', 'title', 'desc', 'text'])

/** A number, with its sign and its currency where the page writes them. */
const before = '[+−]?(?:[A-Z]{0,3}\\p{Sc}|[A-Z]{3}\u00a0)?'
const digits = '\\d(?:[\\d.,:’\u00a0\u202f]*\\d)?'
const behind = '(?:\u00a0(?:\\p{Sc}|[A-Z]{3}\\b))?'
const figure = new RegExp(`(${before}${digits}${behind})`, 'u')

const isText = (child: unknown): child is string | number =>
  typeof child === 'string' || typeof child === 'number'

/** Set while the element of a text is made: its own texts stay as they are. */
let isOwn = false

function toElement(text: string, index: number): ComponentChildren {
  if (text.trim() === '') return text
  isOwn = true
  const parts = text
    .split(figure)
    .map((part, at) =>
      at % 2 === 0 ? part : createElement('span', { class: 'figure', translate: false }, part),
    )
  const element = createElement('span', { key: `${index} ${text}` }, parts)
  isOwn = false
  return element
}

/** Texts that follow each other are one. */
function toElements(children: ComponentChildren): ComponentChildren {
  if (isText(children)) return toElement(String(children), 0)
  if (!Array.isArray(children)) return children
  const found: ComponentChildren[] = []
  let run = ''
  for (const [index, child] of children.entries()) {
    if (isText(child)) run += child
    const isEnd = !isText(children[index + 1])
    if (isEnd && run !== '') {
      found.push(toElement(run, index))
      run = ''
    }
    if (!isText(child)) found.push(toElements(child))
  }
  return found
}

type Props = { children?: ComponentChildren; class?: string; translate?: boolean }

/** To be called before anything is drawn. */
export function makeTextsElements(): void {
  options.vnode = (vnode: VNode) => {
    const { type, props, key } = vnode as VNode<Props>
    const isElement = typeof type === 'string'
    if (isOwn || props.children === undefined || !(isElement || type === Fragment)) return
    if (/\b(code|money)\b/.test(props.class ?? '')) props.translate = false
    if (props.translate === false) return
    if (!holders.has(type as string)) props.children = toElements(props.children)
    else {
      // What they hold is written as one text.
      const text = props.children as string
      vnode.key = `${key ?? ''} ${text}`
      if (figure.test(text)) props.translate = false
    }
  }
}
