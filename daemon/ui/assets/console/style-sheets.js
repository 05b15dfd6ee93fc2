// Lets xterm.js style its terminal under a policy that allows no <style> element and no style attribute: what it writes into a
// style element becomes a style sheet that is made by script, and what it writes into a style attribute is set by script.

const plainElement = document.createElement.bind(document);

const special = { style: styleElement, span: spanElement };

/** From now on, the elements that scripts of this page create are of this kind. */
export function allowStyles() {
  document.createElement = (name, ...more) => special[name]?.() ?? plainElement(name, ...more);
}

/** Returns an element whose text, whenever it is set, becomes the text of a style sheet of the page. */
function styleElement() {
  const element = plainElement('data');
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, 'textContent', {
    set(text) {
      sheet.replaceSync(text);
    },
  });
  return element;
}

function spanElement() {
  const element = plainElement('span');
  Object.defineProperty(element, 'setAttribute', {
    value(name, value) {
      if (name === 'style') element.style.cssText = value;
      else element.setAttributeNS(null, name, value);
    },
  });
  return element;
}
