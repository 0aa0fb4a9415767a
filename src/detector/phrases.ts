/**
 * What people and models say at the end of a run, as data: one line of regular-expression alternatives a language
 * (en, de, es, fr, it, pt, nl, pl; zh and ja where words have no boundaries). Adding a language is adding lines.
 * All of it in lower case, as the texts are by then. `W` stands for up to six words between two others.
 */
export interface PhraseList {
  readonly worded: readonly string[];
  readonly unspaced?: readonly string[];
}

/** Says that the agent could not do it. */
export const GIVE_UP: PhraseList = {
  worded: [
    "(?:i|we)(?: am| was|'m| are| were|'re)? ?(?:simply |just |currently |also |still )?(?:can ?not|can't|could not|couldn't|(?:un|not )able to|wasn't able to|weren't able to|aren't able to)|(?:un|not )able to (?:complete|find|proceed|continue|finish|fulfil?l|locate|determine|solve)|not possible (?:for me )?to (?:complete|finish|continue|proceed)|task (?:failed|aborted)|i do not know how to|i don't know how to",
    "(?:ich|wir) (?:kann|konnte|können|konnten)W nicht|kann ichW nicht|konnte ichW nicht|nicht in der lage|(?:ist|war)W nicht möglich|(?:kann|konnte)W nicht (?:abgeschlossen|ausgeführt|erledigt|gefunden) werden|unmöglich",
    "no (?:puedo|podemos|pude|pudimos|he podido|hemos podido|me es posible|soy capaz|es posible|fue posible|ha sido posible|logré|consigo|conseguí)|imposible",
    "(?:je|nous) ne (?:peux|pouvons|pouvais|parviens|parvenons)W pas|ne (?:suis|sommes) pas (?:en mesure|capables?|parvenu\\p{L}*)|(?:je|nous) n'(?:ai|avons) pas (?:pu|réussi|trouvé)|n'arriv(?:e|ons) pas|impossible de",
    "non (?:posso|possiamo|riesco|sono riuscit[oa]|sono in grado|ho potuto|è possibile|è stato possibile)|impossibile",
    "não (?:posso|podemos|consigo|consegui|conseguimos|pude|sou capaz|é possível|foi possível)|impossível",
    "(?:ik|we|wij) (?:kan|kon|kunnen|konden)W niet|kan ikW niet|(?:lukt|lukte)W niet|niet mogelijk|onmogelijk",
    "nie (?:mogę|możemy|mogłem|mogłam|udało|jestem w stanie|potrafię|jest możliwe|było możliwe)|niemożliwe",
  ],
  unspaced: ["我(?:无法|不能|没有办法)", "无法完成", "できません", "できなかった"],
};

/** Says that the agent stops trying. */
export const SURRENDER: PhraseList = {
  worded: [
    "giving up|i(?:'ll| will| have to| must)? give up|i quit|i am stopping here|i'm stopping here",
    "ich gebe(?: es)? auf|gebe hiermit auf|breche (?:hier )?ab",
    "me rindo|desisto|abandono la tarea",
    "j'abandonne|je renonce",
    "mi arrendo|ci rinuncio|rinuncio",
    "eu desisto|vou desistir",
    "ik geef(?: het)? op",
    "poddaję się|rezygnuję",
  ],
  unspaced: ["我放弃", "諦めます", "あきらめます"],
};

/** Declines for a reason of policy, privacy or permission. */
export const REFUSAL: PhraseList = {
  worded: [
    "(?:can ?not|can't|(?:un|not )able to|not (?:allowed|permitted|authori[sz]ed) to|must not|won't|will not|may not) (?:\\S+ )?(?:share|disclose|reveal|divulge|give out|hand out|provide (?:you with )?(?:legal|medical|financial|personal|private|confidential|another)|discuss|help (?:you )?with (?:that|this) request|assist with (?:that|this)|comply|override|make an exception|bypass)|(?:against|violates?|allowed by|based on|according to|due to|because of|by|per|under|within)(?: \\S+){1,3} polic(?:y|ies)|polic(?:y|ies) (?:(?:does|do) not|(?:does|do)n't) (?:allow|permit)|not (?:allowed|permitted|authori[sz]ed) to|for privacy reasons|confidential",
    "(?:ich|wir) (?:darf|dürfen)W nicht|(?:kann|können)W nicht (?:weitergeben|herausgeben|offenlegen|preisgeben|teilen|mitteilen)|nicht (?:erlaubt|gestattet|befugt)|aus datenschutzgründen|vertraulich|richtlinien? (?:erlaub|gestatt|verbiet)\\p{L}+",
    "no (?:puedo|podemos) (?:compartir|revelar|divulgar|facilitar|proporcionar (?:datos|información))|no (?:está|estoy|es) (?:permitid|autorizad)\\p{L}+|por (?:privacidad|motivos de privacidad)|confidencial",
    "(?:peux|pouvons) pas (?:partager|divulguer|communiquer|révéler|fournir (?:des|les) données)|pas (?:autorisée?s?|permis)|confidentiel\\p{L}*",
    "non (?:posso|possiamo) (?:condividere|divulgare|rivelare|fornire dati)|non (?:è|sono) (?:consentito|permesso|autorizzat\\p{L}+)|riservat\\p{L}+",
    "não (?:posso|podemos) (?:compartilhar|partilhar|divulgar|revelar)|não (?:é|está|estou) (?:permitid|autorizad)\\p{L}+|confidencia\\p{L}+",
    "(?:mag|mogen)W niet|(?:kan|kunnen)W niet (?:delen|doorgeven|verstrekken)|niet (?:toegestaan|bevoegd)|vertrouwelijk\\p{L}*",
    "nie (?:mogę|możemy) (?:udostępni|ujawni|podać danych)\\p{L}*|nie (?:wolno|jestem upoważnion\\p{L}+)|poufn\\p{L}+",
  ],
  unspaced: ["不能(?:分享|透露)", "お答えできません", "開示できません"],
};

/** Says that something failed or did not happen. */
export const FAILURE: PhraseList = {
  worded: [
    "fail(?:s|ed|ure|ing)?|errors?|(?:was|were|is|are|has|have|had|did|does|do|could|can|would|been)(?: not|n't)|can ?not|nothing (?:was|has|could|is)|(?:no|none of the) (?:\\S+ ){0,4}(?:was|were|has been|have been|could|can|is|are|found|available|sent|made|results?|match(?:es)?|records?|data|answer|access)|there (?:is|are|was|were) no|unavailable|(?:is|are|was|were|seems?|currently) (?:down|offline|unreachable|closed|out of stock)|declined|rejected|denied|refused|unfortunately|unsuccessful(?:ly)?|timed out|not|never|without success|still (?:open|pending|missing)|needs? (?:manual|human)|please try again|try again later|unable",
    "nicht|nichts|kein(?:e|en|er|em|es)?|fehlgeschlagen|gescheitert|fehlschlug|leider|fehler(?:meldung)?|abgelehnt|verweigert|unmöglich|misslungen|nie(?:mals)?",
    "no (?:se|fue|ha|han|he|hemos|hay|hubo|pud\\p{L}+|pued\\p{L}+|pod\\p{L}+|está|estaba|existe|exist\\p{L}+|encontr\\p{L}+|logr\\p{L}+|funcion\\p{L}+|respond\\p{L}+|disponible|realizad\\p{L}+|enviad\\p{L}+)|fall(?:ó|ado|aron|o|a)|fracas\\p{L}+|error(?:es)?|rechazad[oa]s?|denegad[oa]s?|lamentablemente|desafortunadamente|nada|ningun[oa]?|ningún|imposible",
    "pas|rien|aucune?|échec|échou\\p{L}+|erreurs?|refusée?s?|malheureusement|impossible|indisponible|jamais",
    "non (?:è|sono|ho|ha|hanno|posso|si|riesc\\p{L}+|riusc\\p{L}+|c'è|ci|trovat\\p{L}+|disponibil\\p{L}+|inviat\\p{L}+)|nessun[oa]?|niente|nulla|fallit[oa]|errore|errori|rifiutat[oa]|purtroppo|impossibile",
    "não|nenhuma?|nada|falhou|falha|falharam|erros?|recusad[oa]|negad[oa]|infelizmente|impossível",
    "niet|niets|geen|mislukt(?:e)?|fout(?:melding)?|geweigerd|afgewezen|helaas|onmogelijk",
    "nie|nic|żad\\p{L}+|brak|błąd|błędu|błędem|odrzucon\\p{L}+|niestety|niepowodzeni\\p{L}+",
  ],
  unspaced: [
    "失败",
    "错误",
    "没有",
    "未能",
    "无法",
    "拒绝",
    "失敗",
    "エラー",
    "できません",
    "ありません",
    "拒否",
  ],
};

/** Has a negative word in it but reports no failure; taken out before anything else is looked for. */
export const BENIGN: PhraseList = {
  worded: [
    "(?:no|zero|0|without(?: any)?|free of) (?:more |further |other )?(?:errors?|failures?|problems?|issues?|warnings?|failed|failing)|(?:errors?|failures?)(?: count)?: 0|(?:errors?|bugs?|failures?|failing tests?) (?:is|are|was|were|has been|have been)?(?: now)? ?(?:fixed|resolved|gone)|fix(?:ed|es)? (?:the |an? )?(?:\\S+ )?(?:errors?|failures?|bugs?)|(?:do not|don't|does not|doesn't) (?:hesitate|worry|need|have to|forget)|no (?:further |additional |other |more )?(?:action|steps?|worries|problem|cost|costs|charge|fee|fees)|not only|no longer|(?:could not|couldn't|cannot|can't|wish (?:i|we) could) (?:have )?do(?:ne)? more|no later than|not a problem|why not|whether or not|if (?:you|it|this|that|they|there|not)\\b[^,.!?]{0,80}",
    "keine? (?:sorge|problem|weitere\\p{L}*|fehler)|nicht (?:nur|zögern|mehr)|ohne (?:fehler|probleme)|(?:müssen|brauchen)W (?:nichts|nicht)|zögern sie nicht|falls [^,.!?]{0,80}",
    "no (?:dude|se preocupe|te preocupes|hay (?:de qué|problema)|es necesari\\p{L}+|tiene que|solo|hace falta)|sin (?:errores|problemas|coste|costo)|ya no|si no [^,.!?]{0,80}|de nada",
    "n'hésite[zs]? pas|pas de (?:problème|souci)|ne vous inquiétez pas|pas besoin|sans (?:erreurs?|problème|frais)|n'est pas nécessaire|de rien|si [^,.!?]{0,80} pas",
    "non (?:esit\\p{L}+|si preoccup\\p{L}+|preoccup\\p{L}+|è necessario|deve|devi|solo)|nessun (?:problema|costo|errore)|senza (?:errori|problemi)|di niente",
    "não (?:hesite|se preocupe|é necessário|precisa|só)|sem (?:erros|problemas|custos?)|nenhum (?:problema|erro|custo)|de nada",
    "geen (?:probleem|zorgen|fouten|kosten|verdere)|aarzel niet|hoeft\\b[^,.!?]{0,80} niets?|niet (?:alleen|meer)|zonder (?:fouten|problemen)",
    "nie (?:ma (?:problemu|sprawy|za co)|martw\\p{L}*|wahaj\\p{L}*|mus\\p{L}+|tylko)|bez (?:błędów|problemów|opłat)|żaden problem",
  ],
};

/** Claims that something was done. */
export const CLAIM: PhraseList = {
  worded: [
    "success(?:ful|fully)?|done|complete[d]?|finished|resolved|refunded|booked|sent|updated|created|deleted|paid|saved|cancell?ed|added|removed|submitted|scheduled|processed|transferred|issued|on (?:its|their|the) way|all set|confirmed|fixed|delivered|placed|approved|installed|deployed|all (?:\\S+ ){0,3}pass(?:es|ed)?|(?:tests?|checks?|build) (?:now |all )?pass(?:es|ed)?|works? (?:now|again|as expected)",
    "erfolgreich|erfolg|erledigt|abgeschlossen|fertig|erstattet|gebucht|gesendet|versendet|verschickt|storniert|gespeichert|bezahlt|überwiesen|gelöscht|erstellt|angelegt|aktualisiert|unterwegs|bestätigt|behoben|bestanden|(?:läuft|funktioniert|laufen|funktionieren) (?:jetzt|nun|wieder)",
    "éxito|exitosamente|(?:realizad|completad|enviad|reembolsad|reservad|pagad|cancelad|guardad|actualizad|cread|eliminad|procesad|confirmad)[oa]s?|hecho|listo|en camino|(?:corregid|arreglad|solucionad)[oa]s?|funcionan? (?:ahora|de nuevo)",
    "succès|(?:terminé|effectué|envoyé|remboursé|réservé|payé|annulé|enregistré|créé|supprimé|traité|confirmé)e?s?|c'est fait|en route|(?:corrigé|résolu|réparé)e?s?|fonctionnent? (?:maintenant|de nouveau|à nouveau)",
    "successo|(?:completat|inviat|rimborsat|prenotat|pagat|annullat|salvat|effettuat|creat|eliminat|confermat)[oaie]|fatto",
    "sucesso|(?:concluíd|enviad|reembolsad|reservad|cancelad|realizad|criad|excluíd|confirmad|salv)[oa]s?|feito|a caminho",
    "succesvol|gelukt|voltooid|klaar|verzonden|verstuurd|terugbetaald|geboekt|betaald|geannuleerd|opgeslagen|gedaan|onderweg|bevestigd",
    "pomyślnie|gotowe|zrobione|(?:zakończon|wysłan|zwrócon|zarezerwowan|opłacon|anulowan|zapisan|utworzon|usunięt|potwierdzon)\\p{L}+",
  ],
  unspaced: [
    "成功",
    "已完成",
    "完成了",
    "已退款",
    "已发送",
    "已取消",
    "完了しました",
    "しました",
    "已修复",
    "通过了",
  ],
};

/** Says that the work is not finished. */
export const UNFINISHED: PhraseList = {
  worded: [
    "not (?:yet )?(?:done|finished|complete|completed|ready)(?: yet)?|to be continued|still (?:working|in progress|to do|running)|work in progress|i will (?:continue|finish)|let me (?:continue|try|check|first|now)\\b[^.!?]{0,120}(?:\\.\\.\\.|…|:)$",
    "noch nicht (?:fertig|erledigt|abgeschlossen)|in arbeit|fortsetzung folgt",
    "(?:aún|todavía) no (?:está|he|se ha)|sin terminar|en curso",
    "pas encore (?:fini|terminé|fait|prêt)|en cours",
    "non (?:è )?ancora (?:finito|fatto|pronto|completato)|in corso",
    "ainda não (?:terminei|está|foi)|em andamento",
    "nog niet (?:klaar|af|gedaan|voltooid)",
    "jeszcze nie (?:gotowe|skończone|zrobione)|w trakcie",
  ],
  unspaced: ["还没有?完成", "まだ(?:完了|終わ)"],
};
