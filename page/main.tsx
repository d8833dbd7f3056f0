import { render } from 'preact';
import { keepFocus } from './state/keep-focus.ts';
import { openSession } from './state/session.ts';
import { App } from './views/app.tsx';
import './style/base.css';
import './style/start.css';
import './style/runs.css';

const root = document.querySelector('#page');
if (root !== null) {
  render(<App />, root);
  keepFocus(root);
}
void openSession();
