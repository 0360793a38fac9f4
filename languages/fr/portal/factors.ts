// The texts in French of what guards a person's access: second factors, devices, the password.
import type { texts as english } from '../../en/portal/factors.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  factors: {
    title: 'Seconds facteurs',
    what: 'Avec votre mot de passe, un second facteur prouve que c’est bien vous : une clé d’accès de cet appareil ou d’un autre, ou les codes d’une application d’authentification.',
    required: 'Votre rôle exige un second facteur. Veuillez en ajouter un maintenant.',
    passkey: 'Clé d’accès',
    totp: 'Application d’authentification',
    since: 'Ajouté',
    neverUsed: 'pas encore utilisé',
    rename: 'Renommer',
    renameOf: (name) => `Renommer ${name}`,
    remove: 'Retirer',
    removeOf: (name) => `Retirer ${name}`,
    removeOne:
      'Il ne pourra plus servir à se connecter. Tous les autres appareils sont déconnectés.',
    removeLast:
      'C’est le dernier : votre mot de passe suffira alors pour vous connecter, et vos codes de secours ne vaudront plus rien. Tous les autres appareils sont déconnectés.',
    removed: 'Le second facteur est retiré.',
    added: 'Le second facteur est ajouté. Tous les autres appareils ont été déconnectés.',
    addPasskey: 'Ajouter une clé d’accès',
    addTotp: 'Ajouter une application d’authentification',
    passkeyWhat:
      'Votre appareil ou une clé de sécurité conserve la clé d’accès. Vous l’utilisez avec votre empreinte, votre visage ou le code PIN de l’appareil.',
    totpWhat:
      'Une application sur votre téléphone affiche un nouveau code à six chiffres toutes les trente secondes.',
    name: 'Nom',
    nameHint: 'Par lequel vous le reconnaîtrez.',
    continue: 'Continuer',
    scan: 'Scannez ceci avec votre application d’authentification :',
    qr: 'Code QR contenant le secret pour votre application d’authentification',
    orType: 'Si vous ne pouvez pas le scanner, saisissez ce secret dans l’application :',
    secret: 'secret',
    openApp: 'Ouvrir dans une application de cet appareil',
    code: 'Code de l’application d’authentification',
    codeHint: 'Six chiffres.',
    wrong:
      'Ce code n’est pas exact. Chaque code fonctionne une fois, pendant trente secondes : prenez celui que l’application affiche maintenant. Après cinq essais ou cinq minutes, recommencez.',
    refused:
      'Si le bon code est refusé lui aussi, il y a eu trop de codes faux, et la banque vous l’a dit par e-mail. Utilisez une clé d’accès ou un code de secours, ou choisissez un nouveau mot de passe avec « Mot de passe oublié ? ».',
    wrongRecovery:
      'Ce code n’est pas exact, ou il a déjà servi. Après cinq essais ou cinq minutes, recommencez.',
    over: 'Cela a pris plus de cinq minutes ou de cinq essais.',
    startAgain: 'Recommencer',
    stepTitle: 'Seconde étape',
    passkeyHow:
      'Utilisez la clé d’accès de cet appareil, de votre téléphone ou de votre clé de sécurité.',
    usePasskey: 'Utiliser une clé d’accès',
    lost: 'Utiliser un code de secours',
    otherMeans: 'Utiliser un autre moyen',
    recoveryCode: 'Code de secours',
    recoveryHint:
      'Un des codes qui vous ont été montrés une fois. Après lui, vous ne pouvez que configurer un nouveau second facteur.',
    codesTitle: 'Vos codes de secours',
    codesWhat:
      'Si vous perdez votre second facteur, un de ces codes vous connecte pour en configurer un nouveau. Chacun fonctionne une fois.',
    codesOnce:
      'Ils ne sont affichés que maintenant. Imprimez-les ou copiez-les, et gardez-les en lieu sûr.',
    codesKept: 'Je les ai gardés',
    codesLeft: (count) => `Il vous reste ${plural(count, 'code de secours', 'codes de secours')}.`,
    newCodes: 'Créer de nouveaux codes de secours',
    firstTitle: 'Configurer un second facteur',
    firstWhy:
      'Vous vous êtes connecté sans second facteur. Avant toute autre chose, veuillez en configurer un. Votre argent et vos données sont tels que vous les avez laissés.',
  },
  confirmation: {
    title: 'Confirmer avec votre second facteur',
    operation: 'Quoi',
    payee: 'Bénéficiaire',
    iban: 'IBAN',
    onlyOwn: 'Ne confirmez que si c’est bien ce que vous voulez faire. Sinon, annulez.',
    confirm: 'Confirmer',
    otherOperation: 'Une modification',
    operations: {
      createTransfer: 'Un virement',
      createBeneficiary: 'Un nouveau bénéficiaire',
      trustBeneficiary:
        'Faire confiance à un bénéficiaire : les virements vers lui ne sont plus confirmés',
      untrustBeneficiary: 'Ne plus faire confiance à un bénéficiaire',
      updateAccountSettings: 'Réglages d’un compte',
      changePassword: 'Un nouveau mot de passe',
      enrolFactor: 'Un nouveau second facteur',
      deleteFactor: 'Retirer un second facteur',
      replaceRecoveryCodes: 'De nouveaux codes de secours',
      createUser: 'Une nouvelle personne',
      updateUser: 'Une modification d’une personne',
      allowFactorReset: 'Permettre à une personne de remplacer ses seconds facteurs',
      mailPasswordLink: 'Envoyer à une personne un lien pour son mot de passe',
      approveRequest: 'Approuver ce qu’une autre personne a demandé',
      createDeposit: 'Un versement d’espèces',
      createWithdrawal: 'Un retrait d’espèces',
      reverseTransfer: 'Annuler un virement',
      createServiceAccount: 'Créer un compte de service',
      updateServiceAccount: 'Modifier un compte de service',
      issueServiceAccountKey: 'Une nouvelle clé d’un compte de service',
      createWebhook: 'Créer un webhook, qui envoie des événements à une adresse',
      updateWebhook: 'Modifier un webhook',
      renewWebhookSecret: 'Un nouveau secret d’un webhook',
      createHold: 'Réserver un montant',
      captureHold: 'Débiter un montant réservé',
      releaseHold: 'Libérer un montant réservé',
      updateHold: 'Modifier un montant réservé',
      settleTransfer: 'Régler un virement',
      returnTransfer: 'Retourner un virement',
    },
  },
  security: {
    title: 'Sécurité',
    sessions: 'Où vous êtes connecté',
    end: 'Déconnecter',
    endOf: (device) => `Déconnecter ${device}`,
    endOthers: 'Déconnecter tous les autres appareils',
    endedOthers: (count) =>
      `${plural(count, 'appareil a été déconnecté', 'appareils ont été déconnectés')}.`,
    onlyThis: 'Vous n’êtes connecté que sur cet appareil.',
    password: 'Changer de mot de passe',
    currentPassword: 'Mot de passe actuel',
    changed: 'Votre mot de passe est changé. Tous les autres appareils ont été déconnectés.',
    wrongPassword: 'Ce n’est pas votre mot de passe actuel.',
  },
}
